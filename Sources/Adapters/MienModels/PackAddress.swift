internal import Foundation
internal import MienCore

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The address of an archive on the net.
struct PackAddress {
    let url: URL
    var isEncrypted: Bool { url.scheme?.lowercased() == "https" }

    /// Scheme, host and path: what may be shown. User, password and query can hold secrets.
    var shown: String { Self.shown(url) }

    /// - Returns: `nil` when `text` does not look like an address.
    /// - Throws: ``PackError`` `.notFound` when it looks like one and is none; the text is not
    ///   repeated, as it may hold a password.
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
                "this is not an address that can be fetched; give one that starts with https:// or http://"
            )
        }
        self.url = url
    }

    fileprivate static func shown(_ url: URL) -> String {
        "\(url.scheme ?? "")://\(url.host() ?? "")\(url.port.map { ":\($0)" } ?? "")\(url.path())"
            .printable
    }
}

/// How much of an archive was fetched; `total` where the server says how much there is.
public typealias FetchProgress = @Sendable (_ bytes: Int, _ total: Int?) -> Void

extension PackAddress {
    /// Fetches it into a new file at `place`.
    ///
    /// - Parameters:
    ///   - limit: the transfer ends as soon as there are more bytes.
    ///   - allowsPlain: also over plain http, where anybody between can change what comes.
    /// - Throws: ``PackError`` `.unavailable`, `.insecure`.
    func fetch(to place: URL, limit: Int, allowsPlain: Bool, progress: @escaping FetchProgress)
        async throws(PackError)
    {
        guard isEncrypted || allowsPlain else { throw Self.plain(shown) }
        guard
            FileManager.default.createFile(
                atPath: place.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = try? FileHandle(forWritingTo: place)
        else {
            throw PackError(
                .unavailable, "\(shown) could not be stored: no temporary file can be made")
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
            "\(shown) is plain http, over which anybody between can change what comes; use https, or add --sha256 with the hash its publisher gives"
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
    // Only the session's queue touches these once the task runs.
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
                    .unavailable, "\(shown) could not be fetched: it leads from address to address")
            )
            return completionHandler(nil)
        }
        if scheme == "http", !allowsPlain, let url = request.url {
            stop(task, PackAddress.plain("\(shown) leads to \(PackAddress.shown(url)), which"))
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
                .unavailable, "\(shown) could not be fetched: the server answered \(status)")
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
        PackError(.unavailable, "\(shown) has more than \(limit) bytes, the most that is fetched")
    }

    /// Foundation's own words name the whole address at times.
    private static func words(for error: any Error) -> String {
        switch (error as? URLError)?.code {
        case .cannotFindHost?, .dnsLookupFailed?: "there is no such server"
        case .cannotConnectToHost?, .notConnectedToInternet?: "the server cannot be reached"
        case .networkConnectionLost?: "the connection was lost"
        case .timedOut?: "the server did not answer in time"
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?,
            .serverCertificateNotYetValid?:
            "the server's certificate cannot be trusted"
        default: "the transfer failed (\((error as NSError).code))"
        }
    }
}
