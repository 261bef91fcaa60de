/** Each drawing is as high as what it shows, so that the page scrolls as one. */
for (const frame of document.querySelectorAll('iframe')) {
  const follow = () => {
    const drawn = frame.contentDocument?.body
    if (drawn == null) return
    new ResizeObserver(() => {
      frame.style.height = `${drawn.scrollHeight}px`
    }).observe(drawn)
  }
  frame.addEventListener('load', follow)
  if (frame.contentDocument?.readyState === 'complete') follow()
}
