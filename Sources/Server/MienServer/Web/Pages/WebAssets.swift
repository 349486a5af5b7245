internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import MienCore
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
                WebFiles.baseStyle + WebFiles.style
            ),
            ("mien.js", scripts, WebFiles.mienScript),
            ("mien.d.ts", "text/plain; charset=utf-8", WebFiles.mienTypes),
            ("capture-worker.js", scripts, WebFiles.captureWorker),
            ("verify.js", scripts, WebFiles.verifyScript),
            ("signin.js", scripts, WebFiles.signInScript),
            ("account.js", scripts, WebFiles.accountScript),
            ("post.js", scripts, WebFiles.postScript),
            ("signout.js", scripts, WebFiles.signOutScript),
            ("page.js", scripts, WebFiles.pageScript),
            ("forms.js", scripts, WebFiles.formsScript),
            ("views.js", scripts, WebFiles.viewsScript),
            ("handoff.js", scripts, WebFiles.handoffScript),
            ("document.js", scripts, WebFiles.documentScript),
            ("document-camera.js", scripts, WebFiles.documentCameraScript),
            ("document-guide.js", scripts, WebFiles.documentGuideScript),
        ]
        let pictures: [(String, String)] = [
            ("check.svg", WebFiles.checkPicture),
            ("clock.svg", WebFiles.clockPicture),
            ("cross.svg", WebFiles.crossPicture),
            ("face.svg", WebFiles.facePicture),
            ("logo.svg", WebFiles.logoPicture),
            ("card.svg", WebFiles.cardPicture),
            ("card-back.svg", WebFiles.cardBackPicture),
            ("passport.svg", WebFiles.passportPicture),
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
