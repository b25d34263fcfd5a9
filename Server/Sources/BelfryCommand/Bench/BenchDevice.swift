import AsyncHTTPClient
import BelfryModel
import BelfryWire
import Foundation
import NIOCore

/// The linked device whose events a benchmark sends, and the check that they are stored.
struct BenchDevice: Sendable {
    private static let timeout = TimeAmount.seconds(30)
    private static let maximumAnswerBytes = 16 * 1_048_576
    /// The newest events of a device that are looked at; the most that one page holds.
    private static let sample = 1_000

    let app: String
    let id: String
    private let contactToken: String
    private let clientState: String?

    /// Makes the app and links a device to an anonymous contact.
    static func link(app: String, _ server: BenchServer) async throws -> BenchDevice {
        _ = try await server.admin.send(
            .post, "/api/v1/apps", CreateAppRequest(code: app, name: app), as: CreateAppAnswer.self
        )
        let id = UUID().uuidString
        var request = HTTPClientRequest(url: "\(server.address)/v3/apps/\(app)/client/contact?anonymous=true")
        request.method = .POST
        request.headers.add(name: HeaderNames.clientID, value: id)
        request.headers.add(name: HeaderNames.requestOrder, value: "\(Date().milliseconds)")
        let (response, body) = try await answer(to: request)
        let link = try JSONDecoder().decode(ContactLinkAnswer.self, from: body)
        return BenchDevice(
            app: app, id: id, contactToken: link.contactToken,
            clientState: response.headers.first(name: HeaderNames.clientState)
        )
    }

    /// A script for wrk: each request carries fresh ids, made of the round, the thread and a counter. Ids have one
    /// length, so that all but the ids of a request is put together once.
    func eventsScript(eventsPerRequest: Int, at date: Date) -> String {
        var fields = [
            (HeaderNames.clientID, id), (HeaderNames.contactToken, contactToken),
            (HeaderNames.requestOrder, "\(date.milliseconds)"), ("Content-Type", "application/json"),
        ]
        if let clientState { fields.append((HeaderNames.clientState, clientState)) }
        let headers = fields.map { "\($0.0): \($0.1)\\r\\n" }.joined()
        let rest =
            #"","type":"custom","name":"bench","timestamp":"\#(Timestamp.text(date))","#
            + #""attributes":{"screen":"home","position":7}}"#
        return """
            local threads = 0

            function setup(thread)
              threads = threads + 1
              thread:set("number", threads)
            end

            function init(args)
              local id = args[1] .. "-t" .. number .. "-"
              local blank = string.rep("0", 12)
              parts = { "" }
              for event = 1, \(eventsPerRequest) do
                parts[#parts] = parts[#parts] .. (event == 1 and '{"events":[' or ',') .. '{"id":"' .. id
                parts[#parts + 1] = blank
                parts[#parts + 1] = '\(rest)'
              end
              parts[#parts] = parts[#parts] .. ']}'
              local length = #table.concat(parts)
              parts[1] = "POST /v3/apps/\(app)/client/events HTTP/1.1\\r\\nHost: " .. wrk.headers["Host"] ..
                "\\r\\n\(headers)Content-Length: " .. length .. "\\r\\n\\r\\n" .. parts[1]
              counter = 0
            end

            function request()
              for place = 2, #parts, 2 do
                counter = counter + 1
                parts[place] = string.format("%012d", counter)
              end
              return table.concat(parts)
            end

            """
    }

    /// Compares what the server says that it stored with what it acknowledged, and looks at a sample.
    func checkStored(
        atLeast acknowledged: Int, fromRound round: String, eventsPerRequest: Int, _ server: BenchServer
    ) async throws {
        let stored = try await Self.storedEvents(server)
        guard stored >= acknowledged else {
            throw BenchDeviceError.lost(acknowledged: acknowledged, stored: stored)
        }
        let answer: DeviceEventsAnswer = try await server.admin.get(
            "/api/v1/apps/\(app)/devices/\(id)/events?limit=\(Self.sample)"
        )
        let ids = Set(answer.events.map(\.id))
        guard ids.count == answer.events.count, ids.count == min(Self.sample, stored),
            ids.allSatisfy({ $0.hasPrefix("\(round)-t") })
        else { throw BenchDeviceError.wrongSample(distinct: ids.count, of: answer.events.count) }
    }

    /// How many events the server has stored, each id once.
    private static func storedEvents(_ server: BenchServer) async throws -> Int {
        var request = HTTPClientRequest(url: "\(server.address)/metrics")
        request.headers.add(name: "Authorization", value: "Bearer \(server.admin.key)")
        let (_, body) = try await answer(to: request)
        for line in String(decoding: body, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2, parts[0] == "belfry_events_stored_total", let count = Int(parts[1]) { return count }
        }
        return 0
    }

    private static func answer(to request: HTTPClientRequest) async throws -> (HTTPClientResponse, Data) {
        let response = try await HTTPClient.shared.execute(request, timeout: timeout)
        let body = try await response.body.collect(upTo: maximumAnswerBytes)
        guard (200..<300).contains(response.status.code) else {
            throw BenchDeviceError.refused(url: request.url, status: Int(response.status.code))
        }
        return (response, Data(body.readableBytesView))
    }
}

enum BenchDeviceError: Error, CustomStringConvertible {
    case refused(url: String, status: Int)
    case lost(acknowledged: Int, stored: Int)
    case wrongSample(distinct: Int, of: Int)

    var description: String {
        switch self {
        case .refused(let url, let status): "\(url) was answered with \(status)."
        case .lost(let acknowledged, let stored):
            "\(acknowledged) events were acknowledged, but the server says that it stored \(stored)."
        case .wrongSample(let distinct, let count):
            "Of the newest \(count) events \(distinct) have ids of their own, or they are not the last round's."
        }
    }
}
