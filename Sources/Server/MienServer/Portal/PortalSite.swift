internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import MienCore
internal import NIOCore

/// One page and its scripts, the same for everybody, which call an API of the same origin.
struct PortalSite: Sendable {
    private struct Asset: Sendable {
        let bytes: ByteBuffer
        let type: String
        let tag: String
    }

    private let page: Asset
    private let assets: [String: Asset]

    init(page: String, files: [(path: String, text: String)]) {
        self.page = Self.asset(page, type: "text/html; charset=utf-8")
        assets = Dictionary(
            uniqueKeysWithValues: files.map { path, text in
                (path, Self.asset(text, type: PortalAssets.type(of: path)))
            })
    }

    /// Answers with the page.
    func page(to request: Request) -> Response { respond(request, page, policy: Self.policy) }

    /// Adds the files below an address.
    func addFiles(to router: Router<MienRequestContext>, at path: String) {
        router.get(RouterPath("\(path)/**")) { request, context in
            guard let asset = assets[context.parameters.getCatchAll().joined(separator: "/")] else {
                throw HTTPError(.notFound)
            }
            return respond(request, asset)
        }
    }

    private func respond(_ request: Request, _ asset: Asset, policy: String? = nil) -> Response {
        // An update of the server is seen at once: browsers ask each time whether it changed.
        var headers: HTTPFields = [
            .contentType: asset.type, .cacheControl: "no-cache", .eTag: asset.tag,
            .init("cross-origin-resource-policy")!: "same-origin",
            .init("x-content-type-options")!: "nosniff",
        ]
        if let policy {
            headers[.contentSecurityPolicy] = policy
            headers[.init("permissions-policy")!] =
                "camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self), publickey-credentials-create=(self)"
            headers[.init("cross-origin-opener-policy")!] = "same-origin"
            headers[.init("x-frame-options")!] = "DENY"
            headers[.init("referrer-policy")!] = "no-referrer"
        }
        if let known = request.headers[.ifNoneMatch], known.contains(asset.tag) || known == "*" {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentLength] = String(asset.bytes.readableBytes)
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: asset.bytes))
    }

    private static func asset(_ text: String, type: String) -> Asset {
        let hash = Base64URL.encode(SHA256.hash(data: Array(text.utf8)).prefix(12))
        return Asset(bytes: ByteBuffer(string: text), type: type, tag: "\"\(hash)\"")
    }

    /// Scripts make elements one by one, so that no text is ever read as HTML: the policy has no
    /// way to make trusted HTML.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'",
        "img-src 'self' data: blob:", "connect-src 'self'", "form-action 'self'",
        "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")
}
