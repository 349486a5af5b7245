internal import Foundation
internal import MienCore
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Hands one mail to a relay: RFC 5321, STARTTLS (RFC 3207), AUTH PLAIN (RFC 4954).
struct SMTPClient: Sendable {
    private static let timeout = TimeAmount.seconds(30)
    /// Bytes of one reply; a relay that says more is cut off.
    private static let mostReply = 16 * 1024

    let relay: MailRelay

    /// - Throws: ``SMTPError``, or what the network throws.
    func send(_ mail: Mail) async throws {
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        let security = relay.security, host = relay.host
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(Self.timeout)
            .connect(host: host, port: relay.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if security == .tls { try channel.pipeline.syncOperations.addHandler(Self.tls(context, host)) }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        // A relay that falls silent ends the conversation.
        let end = channel.channel.eventLoop.scheduleTask(in: Self.timeout) { channel.channel.close(promise: nil) }
        defer { end.cancel() }
        try await channel.executeThenClose { inbound, outbound in
            var talk = Talk(replies: inbound.makeAsyncIterator(), commands: outbound)
            try await talk.expect(220)
            try await talk.say("EHLO mien", expect: 250)
            if security == .starttls {
                try await talk.say("STARTTLS", expect: 220)
                // Whatever came before the handshake was said by nobody in particular.
                guard talk.isDrained else { throw SMTPError(code: 0) }
                let raw = channel.channel
                try await raw.eventLoop.submit {
                    try raw.pipeline.syncOperations.addHandler(Self.tls(context, host), position: .first)
                }.get()
                try await talk.say("EHLO mien", expect: 250)
            }
            if let user = relay.user {
                let words = relay.password.use { Base64URL.standard(Array("\0\(user)\0\($0)".utf8)) }
                try await talk.say("AUTH PLAIN \(words)", expect: 235)
            }
            let recipient = mail.to.use { $0 }
            guard !recipient.contains(where: { $0.isWhitespace || $0 == "<" || $0 == ">" }) else { throw SMTPError(code: 0) }
            try await talk.say("MAIL FROM:<\(relay.from)>", expect: 250)
            try await talk.say("RCPT TO:<\(recipient)>", expect: 250)
            try await talk.say("DATA", expect: 354)
            let date = MailDate.now()
            try await talk.say(Self.stuffed(mail.message(from: relay.from, date: date.header, id: date.file)) + ".", expect: 250)
            try await talk.say("QUIT", expect: 221)
        }
    }

    /// A line that is a dot would end the message: RFC 5321 §4.5.2.
    static func stuffed(_ message: [UInt8]) -> String {
        let text = String(decoding: message, as: UTF8.self).replacing("\r\n.", with: "\r\n..")
        return text.hasPrefix(".") ? "." + text : text
    }

    private static func tls(_ context: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }

    private struct Talk {
        var replies: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        let commands: NIOAsyncChannelOutboundWriter<ByteBuffer>
        var buffer = ByteBuffer()

        init(replies: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, commands: NIOAsyncChannelOutboundWriter<ByteBuffer>) {
            (self.replies, self.commands) = (replies, commands)
        }

        var isDrained: Bool { buffer.readableBytes == 0 }

        mutating func say(_ command: String, expect code: Int) async throws {
            try await commands.write(ByteBuffer(string: command + "\r\n"))
            try await expect(code)
        }

        /// Reads up to the last line of a reply: `250-…` goes on, `250 …` ends it.
        mutating func expect(_ code: Int) async throws {
            while true {
                while let line = line() {
                    guard let found = Int(line.prefix(3)) else { throw SMTPError(code: 0) }
                    if line.dropFirst(3).first == "-" { continue }
                    guard found == code else { throw SMTPError(code: found) }
                    return
                }
                guard buffer.readableBytes < SMTPClient.mostReply, var more = try await replies.next() else { throw SMTPError(code: 0) }
                buffer.writeBuffer(&more)
            }
        }

        private mutating func line() -> String? {
            guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let line = buffer.readString(length: end - buffer.readerIndex + 1)
            return line?.trimmingCharacters(in: .newlines)
        }
    }
}

/// The relay said no: with this code, or 0 when it said nothing that could be understood. Its words may repeat an address and are left out.
struct SMTPError: Error, Equatable {
    let code: Int
}
