internal import Crypto
internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import NIOCore

/// The frame of every page that the server shows in a browser.
package enum WebPage {
    /// A page in the server's style: no scripts, nothing loaded from other hosts, never cached or
    /// framed.
    ///
    /// - Parameter formTarget: An origin that submitting the form may redirect to, besides this
    ///   server.
    package static func response(title: String, body: String, formTarget: String) -> Response {
        let text = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(escaped(title))</title><style>\(style)</style></head><body><main>
            \(body)
            </main></body></html>

            """
        let styleHash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
        // Browsers also apply `form-action` to redirects after a form submission.
        let policy =
            "default-src 'none'; style-src 'sha256-\(styleHash)'; form-action 'self' \(formTarget); frame-ancestors 'none'; base-uri 'none'"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: policy,
                HTTPField.Name("referrer-policy")!: "no-referrer",
                HTTPField.Name("x-frame-options")!: "DENY",
            ], body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// Escapes text for HTML, also in attributes.
    ///
    /// Works on scalars: a quote after a prepended mark (U+0600) is one `Character` with it, and
    /// would not compare equal to a quote.
    package static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "'": result += "&#39;".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f4f5f7;color:#1b1f24}main{max-width:22rem;margin:12vh auto;padding:2rem;\
        background:#fff;border-radius:.75rem;box-shadow:0 1px 4px #0002}h1{font-size:1.25rem;margin:0 0 1rem}label{display:block;margin:.75rem 0 .25rem}\
        input{box-sizing:border-box;width:100%;padding:.6rem;font:inherit;border:1px solid #888;border-radius:.4rem}button{margin-top:1.25rem;width:100%;\
        padding:.7rem;font:inherit;color:#fff;background:#1f5fbf;border:0;border-radius:.4rem}.wrong{color:#a4161a;margin:0}\
        @media(prefers-color-scheme:dark){body{background:#15181c;color:#e8eaed}main{background:#1f242a}input{background:#15181c;color:inherit}\
        .wrong{color:#ff8a80}}
        """
}
