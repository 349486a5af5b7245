/// The server is overloaded. The client may repeat the request later.
package struct ServerBusy: Error {
    package init() {}
}
