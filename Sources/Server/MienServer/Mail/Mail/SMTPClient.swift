internal import Foundation
internal import MienCore
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Delivers one email to a relay: RFC 5321, STARTTLS (RFC 3207), AUTH (RFC 4954), SMTPUTF8
/// (RFC 6531).
struct SMTPClient: Sendable {
    /// The maximum size of one reply in bytes; a longer one ends the connection.
    private static let maxReply = 16 * 1024
    /// The time limit for the reply to QUIT.
    private static let farewell = TimeAmount.seconds(2)

    private(set) var relay: MailRelay
    private let tls: NIOSSLContext?

    /// - Throws: ``ConfigurationError``.
    init(relay: MailRelay) throws { (self.relay, tls) = (relay, try relay.tls()) }

    /// The same relay with another time limit for connecting, and for the conversation.
    func within(_ patience: TimeAmount) -> SMTPClient {
        var client = self
        client.relay.patience = patience
        return client
    }

    /// - Parameter note: Learns each line of the conversation. Relays repeat addresses in theirs,
    ///   so they must not be logged. The text of a login's challenge is left out.
    /// - Throws: ``SMTPError``, ``MailError``, or a network error.
    func send(
        _ mail: Mail, id: String, note: @escaping @Sendable (_ line: String) -> Void = { _ in }
    ) async throws {
        let recipient = try mail.recipient()
        note("* \(relay.host):\(relay.port), mail.security: \(relay.security.rawValue)")
        let channel = try await connect()
        // Close the connection if the relay stops responding.
        let end = channel.channel.eventLoop.scheduleTask(in: relay.patience) {
            channel.channel.close(promise: nil)
        }
        defer { end.cancel() }
        var isTaken = false
        do {
            try await channel.executeThenClose { inbound, outbound in
                var talk = Talk(
                    replies: inbound.makeAsyncIterator(), commands: outbound, note: note)
                let abilities = try await greet(&talk, on: channel.channel)
                try await logIn(&talk, abilities)
                try await hand(mail, id, to: recipient, &talk, abilities)
                isTaken = true
                // The relay has accepted the email. Ignore failures of QUIT: sending again would
                // deliver it twice.
                let end = channel.channel.eventLoop.scheduleTask(in: Self.farewell) {
                    channel.channel.close(promise: nil)
                }
                defer { end.cancel() }
                _ = try? await talk.say("QUIT", 221, at: .end)
            }
        } catch {
            guard isTaken else { throw error }
        }
    }

    private func connect() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let security = relay.security, host = relay.host, tls = tls
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(relay.patience)
            .connect(host: host, port: relay.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if security == .tls, let tls {
                        try channel.pipeline.syncOperations.addHandler(Self.handler(tls, host))
                    }
                    try channel.pipeline.syncOperations.addHandler(BytesHeard())
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Greets the relay and encrypts the connection.
    private func greet(_ talk: inout Talk, on channel: any Channel) async throws -> Abilities {
        let name = relay.ownName ?? Self.name(of: channel.localAddress)
        try await talk.expect(220, at: .greeting)
        let hello = try await talk.say("EHLO \(name)", 250, at: .hello)
        guard relay.security == .starttls, let tls else { return Abilities(hello) }
        try await talk.say("STARTTLS", 220, at: .encryption)
        let host = relay.host
        let heard = try await channel.eventLoop.submit {
            let heard = try channel.pipeline.syncOperations.handler(type: BytesHeard.self).count
            try channel.pipeline.syncOperations.addHandler(
                Self.handler(tls, host), position: .first)
            return heard
        }.get()
        // Bytes sent before the handshake may come from an attacker and must not be read as the
        // relay's replies.
        guard heard == talk.taken else { throw SMTPError(.spokeTooSoon, at: .encryption) }
        return Abilities(try await talk.say("EHLO \(name)", 250, at: .hello))
    }

    /// Logs in with the first mechanism that the relay offers and knows.
    private func logIn(_ talk: inout Talk, _ abilities: Abilities) async throws {
        guard let login = relay.login else { return }
        let secret: Sensitive<String>, usesToken = login.secret.isToken
        do { secret = try login.secret.text() } catch { throw SMTPError(.noToken, at: .login) }
        let known: [SMTPLogin] = usesToken ? [.xoauth2, .oauthBearer] : [.plain, .login]
        // Some relays accept a login without offering one.
        let usable =
            abilities.logins.isEmpty
            ? Array(known.prefix(1)) : known.filter { abilities.logins.contains($0.rawValue) }
        guard let last = usable.last else {
            throw SMTPError(
                .noLogin(offered: abilities.logins.sorted(), usesToken: usesToken), at: .login)
        }
        for mechanism in usable {
            do {
                return try await talk.logIn(
                    mechanism, user: login.user, secret: secret, at: (relay.host, relay.port))
            } catch let error as SMTPError
                where [.refused(504), .refused(534)].contains(error.cause) && mechanism != last
            {
                // The relay lists this mechanism but refuses it for this user. Try the next one.
                continue
            }
        }
    }

    /// Runs the conversation about an email up to the reply that accepts it.
    private func hand(
        _ mail: Mail, _ id: String, to recipient: MailAddress, _ talk: inout Talk,
        _ abilities: Abilities
    ) async throws {
        var sender = relay.from, recipient = recipient
        var needs = ""
        if !recipient.isASCII || !sender.isASCII {
            if abilities.words.contains("SMTPUTF8") {
                needs = " SMTPUTF8"
            } else {
                // Most international addresses have an ASCII form, because only their domain is not.
                (sender, recipient) = (sender.withASCIIDomain, recipient.withASCIIDomain)
                guard sender.isASCII else { throw SMTPError(.asciiOnly, at: .sender) }
                guard recipient.isASCII else { throw SMTPError(.asciiOnly, at: .recipient) }
            }
        }
        let message = Self.stuffed(
            mail.message(from: sender, named: relay.fromName, to: recipient, id: id))
        try await talk.say("MAIL FROM:<\(sender.text)>\(needs)", 250, at: .sender)
        try await talk.say("RCPT TO:<\(recipient.text)>", 250, 251, at: .recipient)
        try await talk.say("DATA", 354, at: .message)
        try await talk.say(message + Array(".".utf8), 250, at: .message)
    }

    /// Escapes leading dots, because a line with a single dot would end the message: RFC 5321
    /// §4.5.2.
    static func stuffed(_ message: [UInt8]) -> [UInt8] {
        var stuffed: [UInt8] = [], isLineStart = true
        stuffed.reserveCapacity(message.count + 16)
        for byte in message {
            if isLineStart, byte == UInt8(ascii: ".") { stuffed.append(byte) }
            stuffed.append(byte)
            isLineStart = byte == UInt8(ascii: "\n")
        }
        return stuffed
    }

    /// Returns our address as a literal, for a host without a name: RFC 5321 §4.1.3.
    private static func name(of address: SocketAddress?) -> String {
        let text = address?.ipAddress ?? "127.0.0.1"
        return text.contains(":") ? "[IPv6:\(text)]" : "[\(text)]"
    }

    private static func handler(_ context: NIOSSLContext, _ host: String) throws
        -> NIOSSLClientHandler
    {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }

    /// Counts received bytes on the channel's own thread, so that everything received before
    /// encryption is known exactly.
    private final class BytesHeard: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer
        private(set) var count = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            count += unwrapInboundIn(data).readableBytes
            context.fireChannelRead(data)
        }
    }

    private struct Talk {
        private var replies: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private let commands: NIOAsyncChannelOutboundWriter<ByteBuffer>
        private let note: @Sendable (String) -> Void
        private var buffer = ByteBuffer()
        /// The number of bytes in the replies read so far.
        private(set) var taken = 0

        init(
            replies: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
            commands: NIOAsyncChannelOutboundWriter<ByteBuffer>,
            note: @escaping @Sendable (String) -> Void
        ) {
            (self.replies, self.commands, self.note) = (replies, commands, note)
        }

        @discardableResult
        mutating func say(_ command: String, _ codes: Int..., at stage: SMTPError.Stage)
            async throws -> Reply
        {
            note("> \(command)")
            return try await say(Array(command.utf8), codes, at: stage)
        }

        mutating func say(_ command: [UInt8], _ code: Int, at stage: SMTPError.Stage) async throws {
            note("> (\(command.count) bytes)")
            try await say(command, [code], at: stage)
        }

        /// - Parameter shown: What is noted of the command, which has secrets.
        private mutating func say(secret command: String, shown: String, _ codes: Int...)
            async throws -> Reply
        {
            note("> \(shown)")
            return try await say(Array(command.utf8), codes, at: .login)
        }

        mutating func logIn(
            _ login: SMTPLogin, user: String, secret: Sensitive<String>, at server: (String, Int)
        ) async throws {
            let name = "AUTH \(login.rawValue)"
            switch login {
            case .plain, .xoauth2, .oauthBearer:
                let words = login.words(user: user, secret: secret, at: server)
                let reply = try await say(
                    secret: "\(name) \(words)", shown: "\(name) ‹hidden›", 235, 334)
                if reply.code == 334 {
                    // The relay did not read the words, and asks for them: RFC 4954 §4. Or it says why
                    // it refuses a token, and waits for an answer: RFC 7628 §3.2.3.
                    let answer =
                        login == .plain ? words : login == .oauthBearer ? "AQ==" : ""
                    _ = try await say(
                        secret: answer, shown: login == .plain ? "‹hidden›" : "", 235)
                }
            case .login:
                try await say(name, 334, at: .login)
                let name = Base64URL.standard(Array(user.utf8))
                _ = try await say(secret: name, shown: "‹hidden›", 334)
                let password = secret.use { Base64URL.standard(Array($0.utf8)) }
                _ = try await say(secret: password, shown: "‹hidden›", 235)
            }
        }

        @discardableResult
        private mutating func say(_ command: [UInt8], _ codes: [Int], at stage: SMTPError.Stage)
            async throws -> Reply
        {
            do {
                try await commands.write(ByteBuffer(bytes: command + [13, 10]))
            } catch is ChannelError { throw SMTPError(.silent, at: stage) }
            return try await expect(codes, at: stage)
        }

        mutating func expect(_ code: Int, at stage: SMTPError.Stage) async throws {
            _ = try await expect([code], at: stage)
        }

        /// Reads up to the last line of a reply: `250-…` continues it, `250 …` ends it.
        private mutating func expect(_ codes: [Int], at stage: SMTPError.Stage) async throws
            -> Reply
        {
            var lines: [String] = [], said = 0
            while true {
                while let line = line() {
                    said += line.utf8.count
                    guard let code = Int(line.prefix(3)), (200...599).contains(code) else {
                        throw SMTPError(.notUnderstood, at: stage)
                    }
                    // Leave out the text of a login's challenge, which does not help to find a
                    // fault.
                    note(code == 334 ? "< 334" : "< \(line)")
                    lines.append(String(line.dropFirst(4)))
                    if line.dropFirst(3).first == "-" { continue }
                    guard codes.contains(code) else { throw SMTPError(.refused(code), at: stage) }
                    return Reply(code: code, lines: lines)
                }
                guard buffer.readableBytes + said < SMTPClient.maxReply else {
                    throw SMTPError(.notUnderstood, at: stage)
                }
                guard var more = try await replies.next() else {
                    throw SMTPError(.silent, at: stage)
                }
                buffer.writeBuffer(&more)
            }
        }

        private mutating func line() -> String? {
            guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
                return nil
            }
            let length = end - buffer.readerIndex + 1
            taken += length
            return buffer.readString(length: length)?.trimmingCharacters(in: .newlines)
        }
    }

    private struct Reply {
        let code: Int
        /// The text of each line.
        let lines: [String]
    }

    /// The abilities that the reply to EHLO lists.
    private struct Abilities {
        /// The first word of each line.
        let words: Set<String>
        /// The mechanisms of AUTH. Old relays write `AUTH=`.
        let logins: Set<String>

        init(_ hello: Reply) {
            let lines = hello.lines.map {
                $0.uppercased().replacing("AUTH=", with: "AUTH ").split(separator: " ").map(
                    String.init)
            }
            words = Set(lines.compactMap(\.first))
            logins = Set(lines.filter { $0.first == "AUTH" }.flatMap { $0.dropFirst() })
        }
    }
}

/// A mechanism of AUTH.
enum SMTPLogin: String {
    /// RFC 4616
    case plain = "PLAIN"
    /// The only one of some relays, such as Exchange's; never standardized.
    case login = "LOGIN"
    /// Of Google and Microsoft, with a token instead of a password.
    case xoauth2 = "XOAUTH2"
    /// RFC 7628
    case oauthBearer = "OAUTHBEARER"

    /// The words of a login that takes one command.
    fileprivate func words(
        user: String, secret: Sensitive<String>, at server: (host: String, port: Int)
    ) -> String {
        secret.use { secret in
            let text =
                switch self {
                case .plain, .login: "\0\(user)\0\(secret)"
                case .xoauth2: "user=\(user)\u{1}auth=Bearer \(secret)\u{1}\u{1}"
                case .oauthBearer:
                    "n,a=\(user),\u{1}host=\(server.host)\u{1}port=\(server.port)\u{1}auth=Bearer \(secret)\u{1}\u{1}"
                }
            return Base64URL.standard(Array(text.utf8))
        }
    }
}
