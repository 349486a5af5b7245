import Foundation
import MienAPI
import MienClient
import MienCore
import Synchronization

/// A transport that answers from a script and records the requests. After the script's end,
/// requests fail.
final class ScriptedTransport: HTTPTransport {
    enum Turn: Sendable {
        case answer(HTTPTransportResponse)
        case fault(HTTPTransportError.Code)
        /// Waits until the task is canceled.
        case never

        static func json(_ body: some Encodable, status: Int = 200, headers: [String: String] = [:])
            -> Turn
        {
            .answer(
                HTTPTransportResponse(
                    status: status, headers: headers, body: [UInt8](try! JSONEncoder().encode(body))
                ))
        }

        static func problem(
            _ code: ProblemCode, _ detail: String? = nil, errors: [Problem.FieldError]? = nil,
            retryAfter: Int? = nil
        ) -> Turn {
            .json(
                Problem(code, detail, errors: errors), status: code.status,
                headers: retryAfter.map { ["retry-after": String($0)] } ?? [:])
        }
    }

    private let state: Mutex<(script: [Turn], requests: [HTTPTransportRequest])>

    init(_ script: [Turn]) { state = Mutex((script, [])) }

    var requests: [HTTPTransportRequest] { state.withLock { $0.requests } }
    var turnsLeft: Int { state.withLock { $0.script.count } }
    func add(_ turns: Turn...) { state.withLock { $0.script += turns } }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let turn = state.withLock { state -> Turn in
            state.requests.append(request)
            return state.script.isEmpty
                ? .problem(.serverError, "the script has ended") : state.script.removeFirst()
        }
        switch turn {
        case .answer(let response): return response
        case .fault(let code): throw HTTPTransportError(code, "scripted")
        case .never:
            while true { try await Task.sleep(for: .seconds(3600)) }
        }
    }
}

/// Records the delays without waiting.
final class Naps: Sendable {
    private let naps = Mutex<[Duration]>([])
    var all: [Duration] { naps.withLock { $0 } }
    var sleep: @Sendable (Duration) async throws -> Void {
        { duration in
            try Task.checkCancellation()
            self.naps.withLock { $0.append(duration) }
        }
    }
}

extension JourneyAnswer {
    static func step(
        _ id: String, state: String = "run_1.a", data: JSONValue? = nil,
        options: [String: String] = ["client_input": "client_input"]
    )
        -> Self
    {
        JourneyAnswer(
            state: state, journeyStepID: .init(rawValue: id), data: data,
            clientResponseOptions: options.mapValues {
                ClientOptionWire(type: .init(rawValue: $0), label: $0)
            },
            expiresAt: 1_800_000_000_000)
    }

    static func success(deviceToken: String? = nil) -> Self {
        JourneyAnswer(
            state: nil, journeyStepID: .known(.success), token: "final.token.jwt",
            deviceToken: deviceToken, expiresAt: 1_800_000_000_000)
    }

    static let rejection = JourneyAnswer(
        state: nil, journeyStepID: .known(.rejection),
        errorData: ["cause": "rejected", "reason": "invalid_credentials"],
        expiresAt: 1_800_000_000_000)
}

func options(_ transport: any HTTPTransport, devices: any DeviceTokenStorage = MemoryDeviceTokens())
    -> MienOptions
{
    MienOptions(
        serverPath: "https://login.example", applicationId: "shop", deviceTokens: devices,
        transport: transport)
}

func body<Body: Decodable>(_ request: HTTPTransportRequest, as _: Body.Type = Body.self) throws
    -> Body
{
    try JSONDecoder().decode(Body.self, from: Data(request.body))
}
