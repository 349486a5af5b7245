/// The server is overloaded. The client may repeat the request later.
struct ServerBusy: Error {}
