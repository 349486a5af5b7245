/// The servers that divide the faces of apps among themselves.
package protocol GalleryPeers: Sendable {
    /// The name of this server.
    var name: String { get }

    /// The names of the living servers that hold faces and can be reached from here. This server may
    /// be among them.
    func galleryServers() async throws -> [String]

    /// Lets another server search its memory. It asks no further server.
    ///
    /// - Parameters:
    ///   - query: The body of the request: see ``GalleryMessage``.
    ///   - time: The time that the server may take.
    /// - Returns: The body of the answer, at most ``GalleryMessage/maxBytes``.
    /// - Throws: if the server does not answer.
    func searchGallery(_ query: [UInt8], on server: String, within time: Duration) async throws
        -> [UInt8]
}
