internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import MienCore
internal import MienServerCore
internal import NIOCore

/// The styles, scripts, and pictures of the pages, from `Web/Assets`.
struct WebAssets: Sendable {
    private struct Asset: Sendable {
        let bytes: ByteBuffer
        let type: String
        let hash: String
    }

    private let assets: [String: Asset]

    init() {
        let scripts = "text/javascript; charset=utf-8"
        let all: [(String, String, String)] = [
            (
                "style.css", "text/css; charset=utf-8",
                EmbeddedFiles.baseStyle + EmbeddedFiles.style
            ),
            ("mien.js", scripts, EmbeddedFiles.mienScript),
            ("mien.d.ts", "text/plain; charset=utf-8", EmbeddedFiles.mienTypes),
            ("capture-worker.js", scripts, EmbeddedFiles.captureWorker),
            ("verify.js", scripts, EmbeddedFiles.verifyScript),
            ("signin.js", scripts, EmbeddedFiles.signInScript),
            ("account.js", scripts, EmbeddedFiles.accountScript),
            ("page.js", scripts, EmbeddedFiles.pageScript),
            ("forms.js", scripts, EmbeddedFiles.formsScript),
            ("views.js", scripts, EmbeddedFiles.viewsScript),
            ("handoff.js", scripts, EmbeddedFiles.handoffScript),
            ("document.js", scripts, EmbeddedFiles.documentScript),
            ("document-camera.js", scripts, EmbeddedFiles.documentCameraScript),
            ("document-guide.js", scripts, EmbeddedFiles.documentGuideScript),
        ]
        let pictures: [(String, String)] = [
            ("check.svg", EmbeddedFiles.checkPicture),
            ("clock.svg", EmbeddedFiles.clockPicture),
            ("cross.svg", EmbeddedFiles.crossPicture),
            ("face.svg", EmbeddedFiles.facePicture),
            ("logo.svg", EmbeddedFiles.logoPicture),
            ("card.svg", EmbeddedFiles.cardPicture),
            ("card-back.svg", EmbeddedFiles.cardBackPicture),
            ("passport.svg", EmbeddedFiles.passportPicture),
        ]
        assets = Dictionary(
            uniqueKeysWithValues: (all + pictures.map { ($0, "image/svg+xml", $1) }).map {
                name, type, text in
                let hash = Base64URL.encode(SHA256.hash(data: Array(text.utf8)).prefix(9))
                return (name, Asset(bytes: ByteBuffer(string: text), type: type, hash: hash))
            })
    }

    /// The address of an asset, which changes with its content.
    func address(_ name: String) -> String { "/web/\(name)?v=\(assets[name]?.hash ?? "")" }

    func add(to router: Router<MienRequestContext>) {
        router.get("web/:name") { request, context in
            let name = try context.parameters.require("name")
            guard let asset = assets[name] else { throw HTTPError(.notFound) }
            // The address has the hash of the content, so an old copy is never shown.
            let isCurrent = request.uri.queryParameters["v"].map { $0 == asset.hash } ?? false
            return Self.response(
                asset, cache: isCurrent ? "public, max-age=31536000, immutable" : "no-cache")
        }
        for name in ["mien.js", "mien.d.ts", "capture-worker.js"] {
            // Pages of apps load these from here.
            router.get(RouterPath(name)) { _, _ in
                guard let asset = assets[name] else { throw HTTPError(.notFound) }
                var response = Self.response(asset, cache: "public, max-age=300")
                response.headers[.accessControlAllowOrigin] = "*"
                response.headers[.init("cross-origin-resource-policy")!] = "cross-origin"
                return response
            }
        }
    }

    private static func response(_ asset: Asset, cache: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: asset.type, .cacheControl: cache,
                .contentLength: String(asset.bytes.readableBytes),
            ], body: .init(byteBuffer: asset.bytes))
    }
}
