package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// The licensing routes: product keys for administrators, licenses for devices that present a
/// product key.
package struct LicenseRoutes {
    let licenses: LicenseService
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("licences") { request, _ in
            let wanted = try await body.read(
                LicenseRequest.self, LicenseRequest.CodingKeys.self, from: request)
            guard (1...128).contains(wanted.productKey.utf8.count) else {
                throw Self.wrong("product_key", "must have 1 to 128 characters")
            }
            guard License.isDevice(wanted.device) else {
                throw Self.wrong("device", "must be 32 bytes in base64url without padding")
            }
            return JSONBody.response(
                try await licenses.activate(wanted.productKey, device: wanted.device),
                status: .created)
        }
    }

    package func addAdmin(to router: RouterGroup<MienRequestContext>) {
        router.get("product-keys") { request, _ in
            JSONBody.response(try await licenses.list(AdminPage(request)))
        }
        router.post("product-keys") { request, context in
            let wanted = try await body.read(
                ProductKeyRequest.self, ProductKeyRequest.CodingKeys.self, from: request)
            guard License.isProduct(wanted.product) else {
                throw Self.wrong("product", "must have 1 to 64 of a-z, 0-9, “.” and “-”")
            }
            guard (1...100).contains(wanted.name.unicodeScalars.count), wanted.name.isPrintable
            else {
                throw Self.wrong(
                    "name", "must be one line of 1 to 100 characters without control characters")
            }
            guard LicenseService.activations.contains(wanted.activations) else {
                throw Self.wrong("activations", "must be 1 to 1,000,000")
            }
            guard LicenseService.days.contains(wanted.days ?? LicenseService.standardDays) else {
                throw Self.wrong("days", "must be 1 to 3,650")
            }
            return try await JSONBody.response(
                licenses.make(wanted, actor: context.actor), status: .created)
        }
        router.delete("product-keys/:productkey") { _, context in
            guard let id = ProductKeyID(try context.parameters.require("productkey")),
                try await licenses.revoke(id, actor: context.actor)
            else {
                throw Problem(
                    .notFound, "There is no such product key, or it was already revoked.")
            }
            return Response(status: .noContent)
        }
    }

    private static func wrong(_ field: String, _ rule: String) -> Problem {
        Problem(.invalidRequest, errors: [.init(field: field, message: rule)])
    }
}
