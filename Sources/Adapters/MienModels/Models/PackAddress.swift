internal import Foundation
internal import MienCore

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The URL of an archive.
struct PackAddress {
    let url: URL
    var isEncrypted: Bool { url.scheme?.lowercased() == "https" }

    /// The scheme, host, and path, which may be displayed. User, password, and query can contain
    /// secrets.
    var shown: String { Self.shown(url) }

    /// - Returns: `nil` if `text` does not look like a URL.
    /// - Throws: ``PackError`` `.notFound` if it looks like a URL but is invalid. The text is not
    ///   repeated, because it may contain a password.
    init?(_ text: String) throws(PackError) {
        guard let colon = text.range(of: "://"),
            text[..<colon.lowerBound].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else {
            return nil
        }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http", url.host() != nil
        else {
            throw PackError(
                .notFound,
                "the address is invalid; use one that starts with https:// or http://"
            )
        }
        self.url = url
    }

    fileprivate static func shown(_ url: URL) -> String {
        "\(url.scheme ?? "")://\(url.host() ?? "")\(url.port.map { ":\($0)" } ?? "")\(url.path())"
            .printable
    }
}

/// Reports the number of bytes fetched, and the total if the server sends it.
public typealias FetchProgress = @Sendable (_ bytes: Int, _ total: Int?) -> Void

extension PackAddress {
    /// Downloads the archive into a new file at `destination`.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes; the transfer stops when it is exceeded.
    ///   - allowsPlain: whether plain http is allowed, over which the data can be changed in
    ///     transit.
    /// - Throws: ``PackError`` `.unavailable`, `.insecure`.
    func fetch(
        to destination: URL, limit: Int, allowsPlain: Bool, progress: @escaping FetchProgress
    )
        async throws(PackError)
    {
        guard isEncrypted || allowsPlain else { throw Self.plain(shown) }
        guard
            FileManager.default.createFile(
                atPath: destination.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = try? FileHandle(forWritingTo: destination)
        else {
            throw PackError(
                .unavailable, "\(shown) could not be stored: cannot create a temporary file")
        }
        let transfer = Transfer(
            file, shown: shown, limit: limit, allowsPlain: allowsPlain, progress: progress)
        let session = URLSession(configuration: .ephemeral, delegate: transfer, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let failure = await withCheckedContinuation {
            transfer.run(session.dataTask(with: url), $0)
        }
        if let failure { throw failure }
    }

    fileprivate static func plain(_ shown: String) -> PackError {
        PackError(
            .insecure,
            "\(shown) uses plain http, so the download can be changed in transit; use https, or add --sha256 with the hash from the publisher"
        )
    }
}

/// One transfer. The session calls it from one queue, one call at a time.
private final class Transfer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let file: FileHandle
    private let shown: String
    private let limit: Int
    private let allowsPlain: Bool
    private let progress: FetchProgress
    // Only the session's queue uses these while the task runs.
    private var received = 0, redirects = 0
    private var total: Int?
    private var failure: PackError?
    private var done: CheckedContinuation<PackError?, Never>?

    init(
        _ file: FileHandle, shown: String, limit: Int, allowsPlain: Bool,
        progress: @escaping FetchProgress
    ) {
        (self.file, self.shown, self.limit, self.allowsPlain, self.progress) = (
            file, shown, limit, allowsPlain, progress
        )
    }

    func run(_ task: URLSessionDataTask, _ done: CheckedContinuation<PackError?, Never>) {
        self.done = done
        task.resume()
    }

    private func stop(_ task: URLSessionTask, _ reason: PackError) {
        failure = failure ?? reason
        task.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        redirects += 1
        let scheme = request.url?.scheme?.lowercased()
        if redirects > 10 || (scheme != "https" && scheme != "http") {
            stop(
                task,
                PackError(
                    .unavailable, "\(shown) could not be fetched: too many redirects")
            )
            return completionHandler(nil)
        }
        if scheme == "http", !allowsPlain, let url = request.url {
            stop(task, PackAddress.plain("\(shown) redirects to \(PackAddress.shown(url)), which"))
            return completionHandler(nil)
        }
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0,
            length = response.expectedContentLength
        if failure == nil, status != 200 {
            failure = PackError(
                .unavailable,
                "\(shown) could not be fetched: the server responded with status \(status)")
        } else if length > Int64(limit) {
            failure = failure ?? tooMuch
        }
        total = length > 0 ? Int(length) : nil
        completionHandler(failure == nil ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard failure == nil else { return }
        received += data.count
        guard received <= limit else { return stop(dataTask, tooMuch) }
        do { try file.write(contentsOf: data) } catch {
            return stop(
                dataTask,
                PackError(
                    .unavailable, "\(shown) could not be stored: \(SystemWords.reason(error))"))
        }
        progress(received, total)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        try? file.close()
        if let error, failure == nil {
            failure = PackError(
                .unavailable, "\(shown) could not be fetched: \(Self.words(for: error))")
        }
        done?.resume(returning: failure)
        done = nil
    }

    private var tooMuch: PackError {
        PackError(.unavailable, "\(shown) exceeds the download limit of \(limit) bytes")
    }

    /// Foundation's own messages sometimes contain the whole URL.
    private static func words(for error: any Error) -> String {
        switch (error as? URLError)?.code {
        case .cannotFindHost?, .dnsLookupFailed?: "the server was not found"
        case .cannotConnectToHost?, .notConnectedToInternet?: "the server cannot be reached"
        case .networkConnectionLost?: "the connection was lost"
        case .timedOut?: "the server did not respond in time"
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?,
            .serverCertificateNotYetValid?:
            "the server's certificate cannot be trusted"
        default: "the transfer failed (\((error as NSError).code))"
        }
    }
}
