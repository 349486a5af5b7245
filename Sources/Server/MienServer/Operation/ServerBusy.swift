/// Too much is going on: the request may be made again later.
struct ServerBusy: Error {}
