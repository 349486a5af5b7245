import Foundation
import MienAPI
import MienClient
import MienCore
import MienServer
import MienTesting
import Testing

/// Products whose apps have their settings from `Web/Portal/products.json`.
@Suite("Known products")
struct KnownProductTests {
    @Test("every product has a name, an ID of its own, and addresses below its own")
    func list() throws {
        let all = KnownProduct.all
        #expect(all.count >= 15 && Set(all.map(\.id)).count == all.count)
        for product in all {
            #expect(!product.name.isEmpty)
            let settings = product.settings(at: "https://a.example.org/place///")
            let addresses = ["redirect_uris", "post_logout_redirect_uris"].flatMap {
                (settings[$0]?.arrayValue ?? []).compactMap(\.stringValue)
            }
            #expect(addresses.isEmpty == (product.exampleURL == nil), "\(product.id)")
            for address in addresses {
                #expect(
                    address.hasPrefix("https://a.example.org/place/")
                        && !address.dropFirst(8).contains("//"), "\(product.id): \(address)")
            }
            #expect(!JSONText.write(settings).contains("{url}"), "\(product.id)")
        }
    }

    @Test(
        "a server accepts the app of every product",
        .enabled(if: Installed.isThere, Installed.reason))
    func accepted() async throws {
        let scratch = try ScratchFolder()
        try await TestServer.run(in: scratch) { server in
            for product in KnownProduct.all {
                let request = AppRequest(
                    id: product.id, name: product.name, type: .confidential,
                    settings: product.settings(at: product.exampleURL))
                let answer = try await AsyncHTTPTransport().send(
                    HTTPTransportRequest(
                        method: .post, url: server.adminAddress + "/v1/apps",
                        headers: [
                            "authorization": "Bearer \(server.credential.use { $0 })",
                            "content-type": "application/json",
                        ], body: Array(JSONEncoder().encode(request))))
                let said = String(decoding: answer.body, as: UTF8.self)
                #expect(answer.status == 201, "\(product.id): \(said)")
            }
        }
    }
}
