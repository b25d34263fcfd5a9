import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

/// The data of calls is counted like the calls, and the counts survive links, tokens and compression.
@Suite("Budgets")
struct BudgetTests {
    /// Of a device: 279,620 bytes and 666 events a minute.
    private static let few = RequestRates(perDevice: 20, limitsLoopback: false)
    private static let ways: [ServerWay] = [.router, .lane]

    private static func events(_ count: Int, _ name: String, size: Int = 0) -> String {
        let attributes = size > 0 ? #","attributes":{"text":"\#(String(repeating: "x", count: size))"}"# : ""
        return (0..<count).map { EventTests.event("\(name)-\($0)", attributes) }.joined(separator: ",")
    }

    private static func packed(_ device: TestDevice, _ events: String) async throws -> APIResponse {
        let body = try #require(Deflation.gzip(Array(#"{"events":[\#(events)]}"#.utf8)))
        return try await device.server.call(
            .post, "/v3/apps/shop/client/events", bytes: body,
            headers: [
                "X-Client-Id": device.id, "X-Contact-Token": device.contactToken ?? "", "Content-Encoding": "gzip",
            ]
        )
    }

    @Test("SEC-9: a new link does not reset a device's rate, whatever its credentials", arguments: ways)
    func linking(way: ServerWay) async throws {
        try await TestServer.run(rates: Self.few, over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var stored = 0
            for number in 0..<60 {
                let query = number.isMultiple(of: 2) ? "anonymous=true&fresh=true" : "anonymous=true"
                try await device.call(.post, "/client/contact?\(query)")
                if try await device.track(EventTests.event("e\(number)")).status == .noContent { stored += 1 }
            }
            #expect(stored <= 20)
            let rejected = try await device.track(EventTests.event("last"))
            try expectError(rejected, .tooManyRequests, "tooManyRequests", target: "device")
            server.clock.advance(by: 3)
            #expect(try await device.track(EventTests.event("later")).status == .noContent)
        }
    }

    @Test(
        "SEC-9: uploads that are sent ahead on a connection are counted one by one, like single calls",
        .timeLimit(.minutes(10)), arguments: [ServerWay.socket, .lane]
    )
    func sentAhead(way: ServerWay) async throws {
        let events = (0..<200).map { EventTests.event("e\($0)") }
        let single = try await TestServer.run(rates: Self.few, over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var statuses: [Int] = []
            for event in events { statuses.append(try await device.track(event).status.code) }
            return statuses
        }
        let ahead = try await TestServer.run(rates: Self.few, over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let (sender, order) = (device, server.clock.now.milliseconds)
            let requests = events.map {
                WireRequest("/client/events", #"{"events":[\#($0)]}"#, by: sender, order: order)
            }
            let connection = try await WireConnection.open(to: server)
            try await connection.send(requests.flatMap(\.bytes))
            var statuses: [Int] = []
            while statuses.count < requests.count, let response = await connection.next() {
                statuses.append(response.status)
            }
            await connection.close()
            return statuses
        }
        #expect(ahead == single)
        let (stored, rejected) = (single.filter { $0 == 204 }.count, single.filter { $0 == 429 }.count)
        #expect((1...20).contains(stored) && stored + rejected == events.count)
    }

    @Test("SEC-9: links by a client id alone get no new rate either", arguments: ways)
    func takingOver(way: ServerWay) async throws {
        try await TestServer.run(rates: Self.few, over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var stored = 0
            for number in 0..<60 {
                server.clock.advance(by: 0.001)
                var impostor = TestDevice(server)
                impostor.id = device.id
                try await impostor.call(.post, "/client/contact?anonymous=true")
                for event in 0..<21 where impostor.contactToken != nil {
                    let answer = try await impostor.track(EventTests.event("e\(number)-\(event)"))
                    if answer.status == .noContent { stored += 1 }
                }
            }
            #expect(stored <= 20)
        }
    }

    @Test("SEC-9: bodies are counted by their inflated size, and one too large is not stored", arguments: ways)
    func bytes(way: ServerWay) async throws {
        try await TestServer.run(rates: Self.few, over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let first = try await Self.packed(device, Self.events(4, "a", size: 50_000))
            #expect(first.status == .noContent)
            let before = try await server.contents()
            let rejected = try await Self.packed(device, Self.events(4, "b", size: 50_000))
            try expectError(rejected, .tooManyRequests, "tooManyRequests", target: "deviceBytes")
            #expect((Int(rejected.header("Retry-After") ?? "") ?? 0) > 20)
            #expect(try await server.contents() == before)
            // A new link and a new token make no other device of it; small bodies still pass.
            try await device.call(.post, "/client/contact?anonymous=true")
            try await device.call(
                .post, "/client/contact-token", #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#)
            let again = try await device.track(Self.events(2, "c", size: 55_000))
            try expectError(again, .tooManyRequests, "tooManyRequests", target: "deviceBytes")
            #expect(try await device.track(EventTests.event("small")).status == .noContent)
            let snapshot = device.snapshot(
                revision: 1, #","attributes":{"text":"\#(String(repeating: "x", count: 100_000))"}"#)
            let registration = try await device.call(.post, "/client/registration", snapshot)
            try expectError(registration, .tooManyRequests, "tooManyRequests", target: "deviceBytes")
            server.clock.advance(by: 60)
            #expect(try await Self.packed(device, Self.events(4, "b", size: 50_000)).status == .noContent)
        }
    }

    @Test(
        "SEC-9: events are counted, valid or not, and of a body with too many none is stored", arguments: ways)
    func events(way: ServerWay) async throws {
        try await TestServer.run(rates: Self.few, over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            #expect(try await device.track(Self.events(400, "a")).status == .noContent)
            #expect(try await device.track(Self.events(200, "a") + ",{}").status == .ok)
            let before = try await server.contents()
            let rejected = try await device.track(Self.events(70, "b"))
            try expectError(rejected, .tooManyRequests, "tooManyRequests", target: "deviceEvents")
            #expect(try await server.contents() == before)
            #expect(try await device.track(Self.events(60, "b")).status == .noContent)
        }
    }

    @Test("SEC-9: an app offline for weeks uploads 10,000 events at the standard rates")
    func backlog() async throws {
        try await TestServer.run(rates: .standard, over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            for batch in 0..<100 {
                #expect(try await device.track(Self.events(100, "e\(batch)", size: 300)).status == .noContent)
            }
            #expect(try await device.track(Self.events(10_000, "whole")).status == .noContent)
        }
    }

    @Test("SEC-9: all devices of an app share a budget, and another app has its own", arguments: ways)
    func apps(way: ServerWay) async throws {
        let rates = RequestRates(
            perDevice: 6_000, limitsLoopback: false, app: AppBudget(mebibytesPerMinute: 1)
        )
        try await TestServer.run(rates: rates, over: way) { server in
            for app in ["shop", "other"] { try await server.makeApp(app) }
            for number in 0..<12 {
                var device = TestDevice(server)
                try await device.start()
                let answer = try await device.track(Self.events(2, "e\(number)", size: 50_000))
                if number < 10 {
                    #expect(answer.status == .noContent)
                } else {
                    try expectError(answer, .tooManyRequests, "tooManyRequests", target: "appBytes")
                }
            }
            var another = TestDevice(server, app: "other")
            try await another.start()
            #expect(try await another.track(Self.events(2, "e", size: 50_000)).status == .noContent)
        }
    }

    @Test("SEC-9: one address can use an eighth of its app's budget, and the others continue", arguments: ways)
    func addresses(way: ServerWay) async throws {
        // An address brings 131,072 bytes a minute.
        let rates = RequestRates(perDevice: 6_000, limitsLoopback: false, app: AppBudget(mebibytesPerMinute: 1))
        let proxies = try #require(TrustedProxies("127.0.0.0/8"))
        try await TestServer.run(rates: rates, proxies: proxies, over: way) { server in
            try await server.makeApp()
            // The lane takes the second one, for the first use of a token is none of its matters.
            func uploads(_ number: Int, from address: String) async throws -> [APIResponse] {
                var device = TestDevice(server)
                let headers = ["X-Forwarded-For": address]
                try await device.call(.post, "/client", "{}", headers: headers)
                try await device.call(.post, "/client/contact?anonymous=true", headers: headers)
                var answers: [APIResponse] = []
                for name in ["a\(number)", "b\(number)"] {
                    let body = #"{"events":[\#(Self.events(2, name, size: 10_000))]}"#
                    answers.append(try await device.call(.post, "/client/events", body, headers: headers))
                }
                return answers
            }
            for number in 0..<3 {
                #expect(try await uploads(number, from: "203.0.113.5").map(\.status) == [.noContent, .noContent])
            }
            for answer in try await uploads(3, from: "203.0.113.5") {
                try expectError(answer, .tooManyRequests, "tooManyRequests", target: "addressBytes")
            }
            #expect(try await uploads(4, from: "203.0.113.6").map(\.status) == [.noContent, .noContent])
        }
    }

    @Test("SEC-9: a batch with many in-app reports is not parsed on the event loop")
    func reports() async throws {
        try await TestServer.run(over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            // The lane does not handle the first use of a new link's token.
            try await device.track(EventTests.event("first"))
            for (count, isExpress) in [(20, true), (21, false)] {
                let events = (0..<count).map {
                    EventTests.event("r\(count)-\($0)", name: "inapp:viewed", #","attributes":{"campaignId":"5"}"#)
                        .replacing("custom", with: "internal")
                }
                let answer = try await device.track(events.joined(separator: ","))
                #expect(answer.status == .noContent)
                #expect((answer.header("Date") == HTTPDateText().text(server.clock.now)) == isExpress, "\(count)")
            }
        }
    }

    @Test("SEC-9: lane and router count alike, accepted and refused calls")
    func alike() async throws {
        func responses(_ way: ServerWay) async throws -> [String] {
            try await TestServer.run(rates: Self.few, over: way) { server in
                try await server.makeApp()
                var device = TestDevice(server)
                try await device.start()
                let text = String(repeating: "x", count: 20_000)
                let snapshot = device.snapshot(
                    revision: 1, registrationID: "0B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C6D",
                    #","attributes":{"text":"\#(text)"}"#)
                var responses: [String] = []
                for number in 0..<40 {
                    server.clock.advance(by: Double(number % 5))
                    let answer: APIResponse
                    switch number % 4 {
                    case 0: answer = try await device.track(Self.events(200, "e\(number)"))
                    // The long way is taken for the one that is bad.
                    case 1: answer = try await device.track(Self.events(30, "e\(number)") + ",{}")
                    case 2: answer = try await device.track(Self.events(1, "e\(number)", size: 60_000))
                    default:
                        // The lane brings it to the store, which sends what it knows already the long way.
                        answer = try await device.call(.post, "/client/registration", snapshot)
                    }
                    responses.append("\(answer.status.code) \(answer.header("Retry-After") ?? "-")")
                }
                return responses
            }
        }
        let (lane, router) = (try await responses(.lane), try await responses(.router))
        #expect(lane == router)
        #expect(Set(router.map { $0.prefix(3) }).isSuperset(of: ["204", "200", "201", "429"]))
    }
}
