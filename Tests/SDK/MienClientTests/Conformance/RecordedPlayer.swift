import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienKeys

/// Makes the calls of a recording of docs/conformance. The tests for Linux and those of the code for
/// Apple's systems use it.
actor RecordedPlayer {
    private struct Unknown: Error { let call: String }

    private let calls: [JSONValue]
    private let client: JourneyClient
    private let session: MienSession
    private let biometrics: BiometricOptions
    private var journey: Journey?
    private var document: VerificationSessionAnswer?

    init(_ recording: JSONValue, address: String, device: BiometricDevice) throws {
        calls = recording["play"]?.arrayValue ?? []
        var options = MienOptions(
            serverPath: address, applicationId: recording["names"]?["app"]?.stringValue ?? "",
            deviceTokens: MemoryDeviceTokens())
        options.usesDPoP = recording["tokens"] != "bearer"
        client = try JourneyClient(options)
        let usesBiometrics = calls.contains {
            $0["call"]?.stringValue?.contains("biometrics") == true
        }
        session = try MienSession(
            options, tokenStorage: TransientTokenStorage(),
            biometrics: usesBiometrics ? device : nil)
        biometrics = BiometricOptions(localizedReason: "Sign in")
    }

    /// Makes the calls until one gives something else than recorded, and returns what it gave.
    func play() async throws -> String? {
        try await session.configure()
        for call in calls {
            let name = call["call"]?.stringValue ?? ""
            let found = try await outcome(of: name, call)
            let gives = call["gives"]?.objectValue ?? [:]
            for (member, value) in gives where found[member] ?? .null != value {
                return "\(name): \(member) is \(Self.shown(found[member])), "
                    + "and \(Self.shown(value)) was recorded"
            }
            if gives["code"] == nil, found["code"] != nil {
                return "\(name): \(Self.shown(.object(found)))"
            }
        }
        return nil
    }

    private static func shown(_ value: JSONValue?) -> String { JSONText.write(value ?? .null) }

    /// Makes a call, and returns its result or the error that it threw.
    private func outcome(of name: String, _ call: JSONValue) async throws -> [String: JSONValue] {
        do { return try await make(name, call) } catch let error as MienError {
            var found: [String: JSONValue] = [
                "code": .string(error.code.rawValue),
                "fields": Self.texts(error.fields.map(\.field)),
            ]
            found["problem"] = (error.problem?.code.rawValue ?? error.oauthError).map {
                .string($0)
            }
            found["retry_after"] = (error.retryAfter?.components.seconds).map {
                .number(Double($0))
            }
            return found
        } catch let error as DeviceError { return ["code": .string(error.code.rawValue)] }
    }

    private func make(_ name: String, _ call: JSONValue) async throws -> [String: JSONValue] {
        func text(_ member: String) -> String { call[member]?.stringValue ?? "" }
        switch name {
        case "start":
            journey = try await client.start(
                text("journey"), StartJourneyOptions(flowId: call["flow"]?.stringValue))
            return try await answered()
        case "respond":
            try await current().respond(ClientResponseOptionType(text("option")), call["data"])
            return try await answered()
        case "restore":
            journey = try client.restore(await current().serializeState())
            return try await answered()
        case "capture":
            return try await capture(
                current().captureSession(), agrees: call["agrees"]?.boolValue ?? false)
        case "omit":
            let session = try await current().captureSession()
            _ = try await session.status()
            let actions = Self.words(call["actions"]).compactMap { CaptureAction(rawValue: $0) }
            let answer = try await session.omitActions(actions)
            return ["omittable": Self.texts(answer.omittableActions?.map(\.rawValue) ?? [])]
        case "light":
            let style = CaptureLightStyle(rawValue: text("style"))
            let answer = try await current().captureSession().showLight(style ?? .vivid)
            return ["status": .string(answer.status.rawValue)]
        case "cancel capture":
            let answer = try await current().captureSession().cancel()
            return ["status": .string(answer.status.rawValue)]
        case "sign in":
            guard case .success(let token) = try await current().outcome() else { break }
            try await session.signIn(journeyToken: token)
            return ["methods": Self.texts(await session.authenticationMethods)]
        case "user": return ["user": .string(try await session.userInfo().sub)]
        case "sign out": try await session.signOut()
        case "enable biometrics": try await session.enableBiometric(biometrics)
        case "sign in with biometrics":
            let user = try await session.authenticateBiometric(biometrics)
            return [
                "user": .string(user.sub),
                "methods": Self.texts(await session.authenticationMethods),
            ]
        case "disable biometrics": try await session.disableBiometric()
        default: return try await makeOfDocument(name, call)
        }
        return [:]
    }

    private func current() throws -> Journey {
        guard let journey else { throw Unknown(call: "before the start of a journey") }
        return journey
    }

    private static func texts(_ words: [String]) -> JSONValue { .array(words.map { .string($0) }) }
    private static func words(_ value: JSONValue?) -> [String] {
        value?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    private func answered() async throws -> [String: JSONValue] {
        let response = try await current().response
        let options = response.clientResponseOptions.keys.filter { $0 != "later_option" }.sorted()
        var found: [String: JSONValue] = [
            "step": .string(response.journeyStepId?.rawValue ?? ""), "options": Self.texts(options),
            "token": .bool(response.token != nil),
        ]
        found["error"] = (response.errorCode?.rawValue).map { .string($0) }
        found["reason"] = response.errorData?["reason"]
        return found
    }

    // MARK: Captures

    /// The smallest thing that begins and ends like a JPEG. The recording stands for a server that
    /// sees a face or a document in it.
    private static let picture = CaptureFrame([0xff, 0xd8, 0xff, 0xd9])

    private static var camera: AsyncStream<CaptureFrame> {
        AsyncStream(unfolding: {
            try? await Task.sleep(for: .milliseconds(20))
            return picture
        })
    }

    private func capture(_ session: CaptureSession, agrees: Bool) async throws
        -> [String: JSONValue]
    {
        let asked = Locked<String?>(nil)
        var guidance: [String] = [], found: [String: JSONValue] = [:]
        let answers = session.updates(of: Self.camera) { text in
            asked.withLock { $0 = text.textVersion }
            return agrees
        }
        for try await answer in answers {
            for word in answer.guidance.map(\.rawValue)
            where word != "later_word" && !guidance.contains(word) { guidance.append(word) }
            found["status"] = .string(answer.status.rawValue)
            found["reasons"] = answer.reasons.map { Self.texts($0.map(\.rawValue)) }
        }
        found["guidance"] = Self.texts(guidance)
        found["asked"] = asked.withLock { $0 }.map { .string($0) }
        return found
    }

    // MARK: Documents

    private func makeOfDocument(_ name: String, _ call: JSONValue) async throws
        -> [String: JSONValue]
    {
        guard let token = try await current().response.startToken else {
            throw Unknown(call: name)
        }
        let session = client.documentSession(startToken: token)
        switch name {
        case "document": document = try await session.status()
        case "document consent":
            guard let text = document?.consent else { throw Unknown(call: name) }
            document = try await session.giveConsent(to: text)
        case "choose":
            guard let country = call["country"]?.stringValue,
                let type = call["type"]?.stringValue.flatMap({ IdentityDocumentType(rawValue: $0) })
            else { throw Unknown(call: name) }
            document = try await session.choose(country: country, type: type)
        case "preview":
            let answer = try await session.preview(Self.picture.bytes)
            return ["ready": .bool(answer.ready), "faults": Self.texts(answer.faults)]
        case "picture":
            guard let side = call["side"]?.stringValue.flatMap({ SessionPicture(rawValue: $0) })
            else { throw Unknown(call: name) }
            let answer = try await session.put(Self.picture, of: side)
            var found: [String: JSONValue] = ["accepted": .bool(answer.accepted)]
            found["reasons"] = (answer.recapture?.reasons).map { Self.texts($0) }
            found["hint"] = (answer.recapture?.hint).map { .string($0) }
            return found
        case "selfie": return try await capture(session.startSelfie(), agrees: true)
        case "submit": document = try await session.submit()
        case "judged": document = try await session.judged()
        default: throw Unknown(call: name)
        }
        var found: [String: JSONValue] = [:]
        found["status"] = (document?.status.rawValue).map { .string($0) }
        found["missing"] = (document?.missingImages.map(\.rawValue)).map { Self.texts($0) }
        return found
    }
}
