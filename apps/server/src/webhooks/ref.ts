/** How others name an endpoint. */
export interface EndpointRef {
  merchantId: string
  endpointId: string
}
