import BelfryAPI
import BelfryModel
import Foundation
import Hummingbird
import Testing

@Suite("Events of a wrong clock")
struct EventClockTests {
    /// What a device says, by how many seconds its clock is ahead, and what its event says then. The server's time is
    /// 12:00:00.
    private static let story: [(id: String, ahead: Double?, at: String, corrected: String?)] = [
        ("right", 0, "11:59:00.000", nil), ("nearly", -60, "11:58:00.000", nil),
        ("behind", -3_600, "10:59:30.250", "11:59:30.250"), ("ahead", 7_200, "13:00:00.000", "11:00:00.000"),
        ("after its upload", 3_600, "14:00:00.000", "12:00:00.000"), ("silent", nil, "11:57:00.000", nil),
    ]
    private static let newestFirst = ["after its upload", "behind", "right", "nearly", "silent", "ahead"]

    private static func day(_ time: String) -> String { "2026-11-21T\(time)Z" }

    private static func send(_ id: String, at: String, ahead: Double?, by device: inout TestDevice) async throws {
        let order = ahead.map { String(device.server.clock.now.addingTimeInterval($0).milliseconds) }
        let event = #"{"id":"\#(id)","type":"custom","name":"view","timestamp":"\#(day(at))"}"#
        let response = try await device.call(
            .post, "/client/events", #"{"events":[\#(event)]}"#, headers: ["X-Request-Order": order ?? ""]
        )
        #expect(response.status == .noContent)
    }

    @Test(
        "EVT-9: the device's time is kept; the corrected one is shown as well and used for sorting",
        .timeLimit(.minutes(15)), arguments: [ServerWay.router, .lane])
    func corrected(way: ServerWay) async throws {
        try await TestServer.run(over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            for (id, ahead, at, _) in Self.story { try await Self.send(id, at: at, ahead: ahead, by: &device) }
            let events = try await device.events()
            #expect(events.map(\.id) == Self.newestFirst)
            for (id, _, at, corrected) in Self.story {
                let event = try #require(events.first { $0.id == id })
                #expect(event.timestamp == Self.day(at), "\(id)")
                #expect(event.correctedTimestamp == corrected.map(Self.day), "\(id)")
            }
            let path = "/apps/shop/devices/\(device.id)/events?from=2026-11-21T11:58:30Z"
            let late = try await server.admin(.get, path).json(DeviceEventsResponse.self).events
            #expect(late.map(\.id) == Array(Self.newestFirst.prefix(3)))
        }
    }

    @Test(
        "EVT-9: the time that a device sends counts, whatever its order is", .timeLimit(.minutes(15)),
        arguments: [ServerWay.router, .lane])
    func time(way: ServerWay) async throws {
        try await TestServer.run(over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let now = server.clock.now
            let cases: [(id: String, time: Double, order: Double, corrected: String?)] = [
                ("right", 0, 86_400, nil), ("fast", 3_600, 0, "10:59:00.000"), ("slow", -3_600, 86_400, "12:00:00.000"),
            ]
            for (id, time, order, _) in cases {
                let headers = [
                    "X-Client-Time": String(now.addingTimeInterval(time).milliseconds),
                    "X-Request-Order": String(now.addingTimeInterval(order).milliseconds),
                ]
                let event =
                    #"{"id":"\#(id)","type":"custom","name":"view","timestamp":"\#(Self.day("11:59:00.000"))"}"#
                let body = #"{"events":[\#(event)]}"#
                let response = try await device.call(.post, "/client/events", body, headers: headers)
                #expect(response.status == .noContent)
            }
            let events = try await device.events()
            for (id, _, _, corrected) in cases {
                let event = try #require(events.first { $0.id == id })
                #expect(event.correctedTimestamp == corrected.map(Self.day), "\(id)")
            }
        }
    }

    @Test("EVT-9, EVT-3: a repeated event with another clock stays as it was", .timeLimit(.minutes(15)))
    func repeated() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            try await Self.send("e1", at: "10:59:30.000", ahead: -3_600, by: &device)
            let first = try await device.events()
            try await Self.send("e1", at: "10:59:30.000", ahead: 0, by: &device)
            #expect(try await device.events() == first)
        }
    }
}
