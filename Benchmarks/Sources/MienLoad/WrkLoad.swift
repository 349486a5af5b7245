internal import Foundation

/// Puts load on a server with wrk (Debian's package `wrk`), which uses much less of the processor
/// that it shares with the server than a client in Swift.
///
/// Each connection has its own thread and sends one request at a time. A request may carry a value
/// from the connection's previous response, such as the state of a journey.
public struct WrkLoad: Sendable {
    /// A request whose body contains a carried value.
    public struct Request: Sendable {
        let method, path, type, before, after: String

        public init(_ method: String, _ path: String, type: String = "", body: String = "") {
            self.init(method, path, type: type, before: body, after: "")
        }

        /// - Parameter before: the body before the carried value, and `after` the body after it.
        public init(
            _ method: String, _ path: String, type: String, before: String, after: String
        ) {
            (self.method, self.path, self.type) = (method, path, type)
            (self.before, self.after) = (before, after)
        }
    }

    private let first: Request
    private let next: Request?
    private let member: String
    private let last: String?

    /// - Parameters:
    ///   - first: the request without a carried value.
    ///   - next: the request with one. Without it, `first` is repeated.
    ///   - member: the start of the JSON member that every response has, such as `"state":"run_`.
    ///     The string from its opening quote to the next quote is carried.
    ///   - last: a part of responses that have no such member.
    public init(_ first: Request, then next: Request? = nil, member: String, last: String? = nil) {
        (self.first, self.next, self.member, self.last) = (first, next, member, last)
    }

    /// Sends requests for `seconds`, rounded up to whole seconds, on `connections` connections.
    ///
    /// - Parameter carried: the first value of each connection.
    /// - Returns: figures with the latencies of all requests under `name`.
    /// - Throws: ``LoadError`` when wrk is missing or any response is unexpected.
    public func run(
        _ name: String, port: Int, connections: Int, seconds: Double,
        carrying carried: [String] = []
    ) async throws(LoadError) -> LoadFigures {
        let output: String
        do { output = try await Self.wrk(script(carried), port, connections, seconds) } catch {
            throw error as? LoadError ?? LoadError("wrk failed: \(error)")
        }
        // The lines of the script come after those of wrk itself.
        let lines = output.split(separator: "\n").drop { !$0.hasPrefix("mien ") }
        guard let summary = lines.first?.split(separator: " ", maxSplits: 3), summary.count > 2,
            let seconds = Double(summary[1]), let failures = Int(summary[2])
        else { throw LoadError("wrk did not end: \(output.suffix(1000))") }
        guard failures == 0 else {
            let reason = summary.count > 3 ? summary[3] : ""
            throw LoadError("\(failures) of wrk's requests failed: \(reason)")
        }
        return LoadFigures(
            seconds: seconds,
            latencies: [name: .init(lines.dropFirst().compactMap { Double($0) })])
    }

    private static func wrk(
        _ script: String, _ port: Int, _ connections: Int, _ seconds: Double
    ) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "mien-wrk-\(UUID().uuidString).lua")
        try Data(script.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process(), output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "wrk", "-t\(connections)", "-c\(connections)", "-d\(Int(seconds.rounded(.up)))s",
            "--timeout", "60s", "-s", file.path, "http://127.0.0.1:\(port)/",
        ]
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let data = try await Task.detached { try output.fileHandleForReading.readToEnd() }.value
        process.waitUntilExit()
        guard process.terminationStatus != 127 else {
            throw LoadError("wrk is not installed; run scripts/setup --bench")
        }
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// The program for wrk. It measures each request itself, because wrk corrects its own latencies
    /// for requests that it would have sent while it waited.
    private func script(_ carried: [String]) -> String {
        """
        local ffi = require("ffi")
        ffi.cdef("typedef struct { long s, ns; } mien_time; int clock_gettime(int, mien_time *);")
        local clock = ffi.new("mien_time[1]")
        local function now()
            ffi.C.clock_gettime(1, clock) -- CLOCK_MONOTONIC
            return tonumber(clock[0].s) * 1e3 + tonumber(clock[0].ns) / 1e6
        end

        local initial = {\(carried.map(Self.quoted).joined(separator: ", "))}
        local threads = {}
        local started
        latencies, failures, failure = {}, 0, ""

        function setup(thread)
            table.insert(threads, thread)
            if initial[#threads] then thread:set("carried", initial[#threads]) end
        end

        function request()
            local text
            if carried then
                text = \(Self.format(next ?? first, next == nil ? "\"\"" : "carried"))
            else
                text = \(Self.format(first, "\"\""))
            end
            started = now()
            return text
        end

        function response(status, _, body)
            table.insert(latencies, now() - started)
            local from, to = body:find(\(Self.quoted(member)), 1, true)
            carried = nil
            if from then
                local quote = from + \(Self.openingQuote(of: member)) + 1
                carried = body:sub(quote, body:find('"', quote, true) - 1)
            end
            if status ~= 200 or not (carried\(last.map { " or body:find(\(Self.quoted($0)), 1, true)" } ?? "")) then
                failures, failure = failures + 1, status .. " " .. body:gsub("%s", " ")
            end
        end

        function done(summary)
            local errors = summary.errors
            local failed, reason = errors.connect + errors.read + errors.write + errors.timeout, ""
            if failed > 0 then reason = "the server closed connections or did not respond" end
            for _, thread in ipairs(threads) do
                if thread:get("failures") > 0 then
                    failed, reason = failed + thread:get("failures"), thread:get("failure")
                end
            end
            print(string.format("mien %.6f %d %s", summary.duration / 1e6, failed, reason))
            for _, thread in ipairs(threads) do
                print(table.concat(thread:get("latencies"), "\\n"))
            end
        end

        """
    }

    /// The position of the last opening quote in the start of a member.
    private static func openingQuote(of member: String) -> Int {
        Array(member.utf8).lastIndex(of: UInt8(ascii: "\"")) ?? 0
    }

    private static func format(_ request: Request, _ carried: String) -> String {
        let type = request.type.isEmpty ? "" : "[\"content-type\"] = \(quoted(request.type))"
        return
            "wrk.format(\(quoted(request.method)), \(quoted(request.path)), {\(type)}, \(quoted(request.before)) .. \(carried) .. \(quoted(request.after)))"
    }

    /// A Lua string.
    private static func quoted(_ text: String) -> String { "[==[\(text)]==]" }
}
