internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Turns every error of a request of SCIM into the format that its clients read (RFC 7644 §3.12).
struct SCIMErrorMiddleware: RouterMiddleware {
    static let path = "/scim/v2"

    func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard path == Self.path || path.hasPrefix("\(Self.path)/") else {
            return try await next(request, context)
        }
        do {
            let response = try await next(request, context)
            guard response.headers[.contentType] == "application/problem+json" else {
                return response
            }
            // Refused before a route was found.
            let allowed = response.headers[.allow]
            var answer = SCIMAnswer.response(
                SCIMError(
                    Int(response.status.code), nil,
                    allowed.map { "This address supports \($0)." }
                        ?? response.status.reasonPhrase))
            for name in [HTTPField.Name.allow, .retryAfter, .connection] {
                answer.headers[name] = response.headers[name]
            }
            return answer
        } catch {
            if error is CancellationError { throw error }
            return SCIMAnswer.response(Self.answer(to: error, context))
        }
    }

    private static func answer(to error: any Error, _ context: MienRequestContext) -> SCIMError {
        switch error {
        case let error as SCIMError: error
        case let error as LoginNameError:
            SCIMError(400, .invalidValue, "The name or the address \(error.description).")
        case let error as StoreError where error.code == .conflict: .taken
        case let error as StoreError where error.code == .stale: .changed
        default: SCIMError(ProblemMiddleware.problem(error, context.logger))
        }
    }
}

/// Answers in SCIM's own media type.
enum SCIMAnswer {
    static let contentType = "application/scim+json"

    static func response(_ error: SCIMError) -> Response {
        var members: [String: JSONValue] = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
            "status": .string(String(error.status)), "detail": .string(error.detail),
        ]
        members["scimType"] = error.kind.map { .string($0.rawValue) }
        var response = response(.object(members), status: .init(code: error.status))
        if error.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
        if error.status == 503 { response.headers[.retryAfter] = "1" }
        return response
    }

    static func response(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        var response = JSONBody.response(json: Array(JSONText.write(value).utf8), status: status)
        response.headers[.contentType] = contentType
        return response
    }

    /// A resource, or the part of it that is asked for.
    static func response(
        _ resource: JSONValue, _ request: Request, status: HTTPResponse.Status = .ok
    ) -> Response {
        let version = resource["meta"]?["version"]?.stringValue
        if status == .ok, request.method == .get, let version,
            let known = request.headers[.ifNoneMatch], SCIMQuery.lists(known, version)
        {
            return Response(status: .notModified, headers: [.eTag: version])
        }
        var response = response(SCIMProjection(request).of(resource), status: status)
        response.headers[.eTag] = version
        response.headers[.location] = resource["meta"]?["location"]?.stringValue
        return response
    }
}
