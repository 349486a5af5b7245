internal import AsyncHTTPClient
internal import Foundation
internal import MienCore
internal import NIOHTTP1

extension WebhookCaller {
    private static let maxPictureBytes = 32 * 1024

    /// Fetches the picture of an app once, under the rules of webhooks. Pages show it as it is here,
    /// so browsers load nothing from the app's address.
    ///
    /// Programs name the address, so only the usual port is asked: the time of a refusal would tell
    /// which others are open.
    ///
    /// - Returns: A `data:` URL; `nil` unless the address answers in time with a PNG, WebP, or SVG
    ///   picture of at most 32 KiB.
    package func picture(_ url: String) async -> String? {
        guard let target = target(of: url), mayBePrivate || target.port == 443 else { return nil }
        let result = await exchange(
            with: url, upTo: Self.maxPictureBytes, within: .seconds(5)
        ) { target in
            var request = HTTPClientRequest(url: target.url)
            request.headers.add(name: "accept", value: "image/png, image/webp, image/svg+xml")
            request.headers.add(name: "user-agent", value: "mien")
            return request
        }
        guard case .answered(200, let bytes) = result, let type = Self.pictureType(bytes) else {
            return nil
        }
        return "data:\(type);base64,\(Data(bytes).base64EncodedString())"
    }

    /// The type of a picture, by how it begins.
    static func pictureType(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            return "image/png"
        }
        if bytes.starts(with: Array("RIFF".utf8)),
            bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
        {
            return "image/webp"
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let start = text.drop { $0.isWhitespace || $0 == "\u{feff}" }
        guard start.hasPrefix("<svg") || (start.hasPrefix("<?xml") && start.contains("<svg")) else {
            return nil
        }
        return "image/svg+xml"
    }
}
