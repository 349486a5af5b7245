package import Foundation
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The certificate that new connections get. It can be replaced while the server runs.
package final class ServedCertificate: Sendable {
    private let files: TLSFiles
    private let current: Mutex<TLSFiles.Served>

    /// - Throws: ``ServerStartError`` that names the file and its problem.
    package init(_ files: TLSFiles) throws(ServerStartError) {
        self.files = files
        current = Mutex(try files.served())
    }

    /// Reads the files again.
    ///
    /// - Throws: ``ServerStartError`` that names the file and its problem. The certificate then
    ///   stays as it was.
    package func reload() throws(ServerStartError) {
        let served = try files.served()
        current.withLock { $0 = served }
    }

    /// When the first certificate of the chain to expire does.
    package var expiry: Date { current.withLock { $0.expiry } }

    fileprivate var context: NIOSSLContext { current.withLock { $0.context } }
}

/// Sets up TLS below another channel, with the certificate that is current when a client connects.
struct SecuredChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let certificate: ServedCertificate

    init(_ base: Base, _ certificate: ServedCertificate) {
        (self.base, self.certificate) = (base, certificate)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: certificate.context))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
