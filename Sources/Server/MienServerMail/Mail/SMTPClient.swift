internal import Foundation
internal import MienCore
internal import MienServerCore
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Delivers one email to a relay: RFC 5321, STARTTLS (RFC 3207), AUTH PLAIN (RFC 4954), SMTPUTF8
/// (RFC 6531).
struct SMTPClient: Sendable {
    /// The maximum size of one reply in bytes; a longer one ends the connection.
    private static let maxReply = 16 * 1024
    /// The time limit for the reply to QUIT.
    private static let farewell = TimeAmount.seconds(2)

    let relay: MailRelay
    private let tls: NIOSSLContext?

    /// - Throws: ``ConfigurationError``.
    init(relay: MailRelay) throws { (self.relay, tls) = (relay, try relay.tls()) }

    /// - Throws: ``SMTPError``, ``MailError``, or a network error.
    func send(_ mail: Mail, id: String) async throws {
        let recipient = try mail.recipient()
        let message = Self.stuffed(try mail.message(from: relay.from, id: id))
        let channel = try await connect()
        // Close the connection if the relay stops responding.
        let end = channel.channel.eventLoop.scheduleTask(in: relay.patience) {
            channel.channel.close(promise: nil)
        }
        defer { end.cancel() }
        var isTaken = false
        do {
            try await channel.executeThenClose { inbound, outbound in
                var talk = Talk(replies: inbound.makeAsyncIterator(), commands: outbound)
                try await converse(&talk, on: channel.channel, message, to: recipient)
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

    /// Runs the conversation up to the reply that accepts the email.
    private func converse(
        _ talk: inout Talk, on channel: any Channel, _ message: [UInt8], to recipient: MailAddress
    ) async throws {
        let name = Self.name(of: channel.localAddress)
        try await talk.expect(220, at: .greeting)
        var abilities = try await talk.say("EHLO \(name)", 250, at: .hello)
        if relay.security == .starttls, let tls {
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
            abilities = try await talk.say("EHLO \(name)", 250, at: .hello)
        }
        if let user = relay.user {
            let words = relay.password.use { Base64URL.standard(Array("\0\(user)\0\($0)".utf8)) }
            try await talk.say("AUTH PLAIN \(words)", 235, at: .login)
        }
        var needs = ""
        if !recipient.isASCII || !relay.from.isASCII {
            guard abilities.contains("SMTPUTF8") else {
                throw SMTPError(.asciiOnly, at: .recipient)
            }
            needs = " SMTPUTF8"
        }
        try await talk.say("MAIL FROM:<\(relay.from.text)>\(needs)", 250, at: .sender)
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
        private var buffer = ByteBuffer()
        /// The number of bytes in the replies read so far.
        private(set) var taken = 0

        init(
            replies: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
            commands: NIOAsyncChannelOutboundWriter<ByteBuffer>
        ) {
            (self.replies, self.commands) = (replies, commands)
        }

        @discardableResult
        mutating func say(_ command: String, _ codes: Int..., at stage: SMTPError.Stage)
            async throws -> Set<String>
        {
            try await say(Array(command.utf8), codes, at: stage)
        }

        mutating func say(_ command: [UInt8], _ code: Int, at stage: SMTPError.Stage) async throws {
            try await say(command, [code], at: stage)
        }

        @discardableResult
        private mutating func say(_ command: [UInt8], _ codes: [Int], at stage: SMTPError.Stage)
            async throws -> Set<String>
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
        ///
        /// - Returns: The first word of each line.
        private mutating func expect(_ codes: [Int], at stage: SMTPError.Stage) async throws -> Set<
            String
        > {
            var words: Set<String> = [], said = 0
            while true {
                while let line = line() {
                    said += line.utf8.count
                    guard let code = Int(line.prefix(3)), (200...599).contains(code) else {
                        throw SMTPError(.notUnderstood, at: stage)
                    }
                    if let word = line.dropFirst(4).split(separator: " ").first {
                        words.insert(word.uppercased())
                    }
                    if line.dropFirst(3).first == "-" { continue }
                    guard codes.contains(code) else { throw SMTPError(.refused(code), at: stage) }
                    return words
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
}
