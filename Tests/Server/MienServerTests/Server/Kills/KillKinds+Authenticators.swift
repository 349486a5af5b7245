import Foundation
import MienAPI
import MienClient
import MienCore

/// Passkeys, device keys, OTP tokens, and licenses.
extension KillKinds {
    struct TokenHolder: Sendable {
        let id: UserID, name: String, token: TokenDevice.Token
        /// The first counter whose code has not been used.
        var counter: UInt64
    }
    struct ProductKeyState: Sendable {
        let id: String, key: String
        var used = 0
    }

    /// Whether a registration is complete: the row, the audit entry, and the ability to use it.
    private static func whole(
        _ type: String, _ event: String, of user: UserID, _ server: AttackedServer,
        _ works: @Sendable () async throws -> Bool
    ) async throws -> KillClient.Resolution {
        let rows = try await server.admin.authenticators(of: user).count {
            $0.type.rawValue == type
        }
        let entries = try await Self.events(event, of: user, server)
        if rows == 0, entries == 0 {
            return try await works() ? .torn("\(type) works, but is not listed") : .notDone
        }
        guard rows == 1, entries == 1, try await works() else {
            return .torn("\(type): \(rows) rows, \(entries) entries")
        }
        return .done
    }

    var passkeys: KillKind {
        { client, server in
            let (id, name) = try await self.newUser(client, server, "passkey"),
                access = try await server.signIn(name)["access_token"]
            let passkey = try SoftwarePasskey(server.tokens).with {
                $0.userHandle = Array(id.text.utf8)
            }
            let uses = KillState<UInt32>(1)
            @Sendable func works(_ server: AttackedServer) async throws -> Bool {
                uses.value += 1
                let again = passkey.at(server).with { $0.counter = uses.value }
                return try await again.signIn().status == 200
            }
            guard let options = try await passkey.registrationOptions(access).body["publicKey"]
            else { throw KillClient.Refused("passkey", name) }
            let credential = try passkey.credential(creating: options)
            try await client.write(
                "passkeys registered", name
            ) { server in
                try await Self.whole("passkey", "passkey.registered", of: id, server) {
                    try await works(server)
                }
            } by: {
                let answer = try await passkey.register(access, credential)
                guard answer.status == 200 else { throw KillClient.Refused("passkey", answer.body) }
                return { server in try await works(server) ? nil : "it does not sign in" }
            }
        }
    }

    var deviceKeys: KillKind {
        { client, server in
            let (id, name) = try await self.newUser(client, server, "device"),
                access = try await server.signIn(name)["access_token"]
            let device = try WireDevice(server.tokens), jwt = try await device.request("setup")
            try await client.write(
                "device keys registered", name
            ) { server in
                let moved = device.at(server)
                return try await Self.whole(
                    "native_biometrics", "native_biometrics.registered", of: id, server
                ) {
                    try await moved.logIn().status == 200
                }
            } by: {
                let answer = try await device.setUp(access, jwt: jwt)
                guard answer.status == 200 else {
                    throw KillClient.Refused("device key", answer.body)
                }
                return { server in
                    try await device.at(server).logIn().status == 200 ? nil : "it does not log in"
                }
            }
        }
    }

    /// A challenge signed by a device. Once used, it stays used.
    var challenges: KillKind {
        { client, server in
            let (_, name) = try await self.newUser(client, server, "challenge"),
                access = try await server.signIn(name)["access_token"]
            let device = try WireDevice(server.tokens), set = try await device.setUp(access)
            guard set.status == 200 else { throw KillClient.Refused("device key", set.body) }
            let jwt = try await device.request("authenticate")
            try await client.write(
                "challenges used", name
            ) { server in
                try await device.at(server).logIn(jwt: jwt).status == 200 ? .notDone : .done
            } by: {
                let answer = try await device.logIn(jwt: jwt)
                guard answer.status == 200 else {
                    throw KillClient.Refused("challenge", answer.body)
                }
                return { server in
                    try await device.at(server).logIn(jwt: jwt).error == "invalid_grant"
                        ? nil : "it was accepted again"
                }
            }
        }
    }

    /// A registration code that becomes an OTP token. The same device may request its answer again;
    /// another device may not.
    var oneTimeTokens: KillKind {
        { client, server in
            let (id, name) = try await self.newUser(client, server, "otp"), device = TokenDevice()
            let offer = try await server.admin.offerToken(
                to: id, app: AttackedServer.app, OTPRegistrationRequest(kind: .hotp))
            let code = offer.registrationCode
            try await client.write(
                "one-time-code tokens registered", name
            ) { server in
                let before = try await Self.events("otp.registered", of: id, server),
                    again = try await device.ask(code, server)
                let rows = try await server.admin.authenticators(of: id).count {
                    $0.type == .known(.otp)
                }
                let entries = try await Self.events("otp.registered", of: id, server)
                guard again.status == 201, rows == 1, entries == 1 else {
                    return .torn("\(name): \(again.status), \(rows) rows, \(entries) entries")
                }
                return before == 1 ? .done : .notDone
            } by: {
                let token = try await device.redeem(code, server)
                self.codes.value = TokenHolder(id: id, name: name, token: token, counter: 0)
                return { server in
                    let other = try await TokenDevice().ask(code, server),
                        rows = try await server.admin.authenticators(of: id).count {
                            $0.type == .known(.otp)
                        }
                    return other.status == 401 && rows == 1
                        ? nil : "another device: \(other.status), \(rows) tokens"
                }
            }
        }
    }

    private static func signsIn(_ holder: TokenHolder, counter: UInt64, _ server: AttackedServer)
        async throws -> Bool
    {
        let state = try await server.waitingForCode("token-code", of: holder.name),
            code = try holder.token.code(counter: counter)
        return try await server.respond(state, "client_input", ["passcode": .string(code)]).body[
            "token"] != nil
    }

    var oneTimeCodes: KillKind {
        { client, server in
            guard let holder = self.codes.value else {
                return try await self.oneTimeTokens(client, server)
            }
            let counter = holder.counter
            @Sendable func spend() {
                if self.codes.value?.name == holder.name { self.codes.value?.counter = counter + 1 }
            }
            try await client.write(
                "one-time codes used", "code of \(holder.name)"
            ) { server in
                let isGood = try await Self.signsIn(holder, counter: counter, server)
                spend()
                return isGood ? .notDone : .done
            } by: {
                guard try await Self.signsIn(holder, counter: counter, server) else {
                    throw KillClient.Refused("code", counter)
                }
                spend()
                return { server in
                    if try await Self.signsIn(holder, counter: counter, server) {
                        return "code \(counter) was accepted again"
                    }
                    // The next code is valid, and resets the failure counted for the repeated code.
                    guard let now = self.codes.value, now.name == holder.name else { return nil }
                    self.codes.value?.counter = now.counter + 1
                    return try await Self.signsIn(now, counter: now.counter, server)
                        ? nil : "code \(now.counter) is refused"
                }
            }
        }
    }

    // MARK: Licenses

    var productKeys: KillKind {
        { client, server in
            let name = await client.fresh("key")
            @Sendable func find(_ server: AttackedServer) async throws -> ProductKeyAnswer? {
                try await server.admin.productKeys().first { $0.name == name }
            }
            try await client.write(
                "product keys made", name
            ) { server in
                guard let key = try await find(server) else { return .notDone }
                return key.used == 0 && key.activations == 1_000 ? .done : .torn("\(key)")
            } by: {
                let made = try await server.admin.makeProductKey(
                    ProductKeyRequest(product: "mien-face", name: name, activations: 1_000))
                guard let key = made.productKey else {
                    throw KillClient.Refused("product key", made)
                }
                self.productKey.value = ProductKeyState(id: made.id, key: key)
                return { server in try await find(server)?.id == made.id ? nil : "gone" }
            }
        }
    }

    var activations: KillKind {
        { client, server in
            guard let state = self.productKey.value else {
                return try await self.productKeys(client, server)
            }
            let device = Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) })
            let body = JSONText.write([
                "product_key": .string(state.key), "device": .string(device),
            ])
            @Sendable func used(_ server: AttackedServer) async throws -> Int? {
                try await server.admin.productKeys().first { $0.id == state.id }?.used
            }
            @Sendable func count(_ number: Int) {
                if self.productKey.value?.id == state.id { self.productKey.value?.used = number }
            }
            try await client.write(
                "devices activated", "activation of \(state.id)"
            ) { server in
                // A device is counted once: repeating the request counts it only if it was not
                // counted before.
                let before = try await used(server),
                    again = try await server.sendJSON(.post, "/v1/licences", body: body)
                let after = try await used(server)
                guard again.status < 300, after == state.used + 1 else {
                    return .torn("\(again.status), used \(String(describing: after))")
                }
                count(state.used + 1)
                return before == after ? .done : .notDone
            } by: {
                let answer = try await server.sendJSON(.post, "/v1/licences", body: body)
                guard answer.status < 300 else { throw KillClient.Refused("license", answer) }
                count(state.used + 1)
                return { server in
                    guard let now = self.productKey.value, now.id == state.id else { return nil }
                    let found = try await used(server)
                    return found == now.used
                        ? nil : "used \(String(describing: found)) instead of \(now.used)"
                }
            }
        }
    }
}

extension SoftwarePasskey {
    /// Returns the same authenticator for a restarted server.
    func at(_ server: AttackedServer) -> SoftwarePasskey { with { $0.client = server.tokens } }
}

extension WireDevice {
    /// Returns the same device for a restarted server.
    func at(_ server: AttackedServer) -> WireDevice {
        var device = self
        device.client = server.tokens
        return device
    }
}
