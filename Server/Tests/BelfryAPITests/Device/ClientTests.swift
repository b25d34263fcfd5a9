import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Device properties")
struct ClientTests {
    /// As the iOS client of version 3 sends it: pretty-printed.
    static let ios = """
        {
          "platform" : "ios",
          "applicationVersion" : "1.2.3",
          "deviceModel" : "iPhone14,2",
          "osVersion" : "17.4",
          "sdkVersion" : "3.10.2",
          "language" : "en",
          "timezone" : "+0100",
          "pushSettings" : { "authorizationStatus" : "authorized", "soundSetting" : "enabled" }
        }
        """

    @Test("WIRE-1, WIRE-27: device properties are stored in Belfry's words, and the response carries the client state")
    func stores() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            let response = try await device.call(.post, "/client", Self.ios)
            #expect(response.status == .noContent)
            #expect(response.body.readableBytes == 0)
            #expect(response.header("X-Client-State")?.isEmpty == false)
            #expect(response.header("Cache-Control") == "no-store")
            #expect(response.header("X-Content-Type-Options") == "nosniff")
            let stored = try await server.device(device.id)
            #expect(
                stored.system
                    == SystemProperties(
                        timeZone: "+0100", locale: "en", platform: "ios", osVersion: "17.4", appVersion: "1.2.3",
                        sdkVersion: "3.10.2", deviceModel: "iPhone14,2"
                    )
            )
            #expect(stored.osPushEnabled == true)
            #expect(stored.contactKey == nil)
        }
    }

    @Test(
        "WIRE-1, REG-22: the system's permission is read from either platform's settings",
        arguments: [
            (#"{"authorizationStatus":"denied"}"#, false), (#"{"authorizationStatus":"authorized"}"#, true),
            (#"{"authorizationStatus":"provisional"}"#, true), (#"{"authorizationStatus":"ephemeral"}"#, true),
            (#"{"authorizationStatus":"notDetermined"}"#, nil), (#"{}"#, nil), ("null", nil),
            (#"{"areNotificationsEnabled":true,"importance":-1000,"channelSettings":[]}"#, true),
            (#"{"areNotificationsEnabled":false}"#, false),
        ] as [(String, Bool?)]
    )
    func pushSettings(settings: String, expected: Bool?) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.call(.post, "/client", #"{"platform":"ios","pushSettings":\#(settings)}"#)
            let stored = try await server.device(device.id)
            #expect(stored.osPushEnabled == expected)
            #expect(stored.optOut?.reason == (expected == false ? .osSetting : nil))
        }
    }

    @Test(
        "WIRE-1: a time zone is an offset or a name",
        arguments: ["+0100", "-0330", "+05:45", "GMT+1", "Europe/Paris", "UTC"])
    func timeZones(zone: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            #expect(try await device.call(.post, "/client", #"{"timezone":"\#(zone)"}"#).status == .noContent)
            #expect(try await server.device(device.id).system.timeZone == zone)
        }
    }

    @Test("ID-2, WIRE-25: the same properties, sent again, change nothing")
    func repeats() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.call(.post, "/client", Self.ios)
            let before = try await server.contents()
            #expect(try await device.call(.post, "/client", Self.ios).status == .noContent)
            #expect(try await server.contents() == before)
        }
    }

    @Test("WIRE-1: absent, null or blank properties stay as they were")
    func keeps() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.call(.post, "/client", Self.ios)
            try await device.call(.post, "/client", #"{"osVersion":"18.0","language":null,"deviceModel":" "}"#)
            let system = try await server.device(device.id).system
            #expect(system.osVersion == "18.0")
            #expect(system.locale == "en")
            #expect(system.deviceModel == "iPhone14,2")
        }
    }

    @Test("WIRE-21: an older order never overwrites a newer one, and one far ahead counts as now")
    func orders() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            let now = server.clock.now.milliseconds
            func put(_ version: String, order: Int64) async throws -> String? {
                let headers = ["X-Request-Order": String(order)]
                let response = try await device.call(
                    .post, "/client", #"{"osVersion":"\#(version)"}"#, headers: headers)
                #expect(response.status == .noContent)
                return try await server.device(device.id).system.osVersion
            }
            #expect(try await put("2", order: now) == "2")
            #expect(try await put("1", order: now - 1) == "2")
            // Ten minutes ahead: it is taken for now, so the next one in time still counts.
            #expect(try await put("3", order: now + 600_000) == "3")
            server.clock.advance(by: 1)
            #expect(try await put("4", order: now + 1_000) == "4")
        }
    }

    @Test("WIRE-20: header names are case-insensitive, and a stale or forged state is no error")
    func headers() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let id = UUID().uuidString
            for state in ["", "forged", "AAAA", String(repeating: "x", count: 5_000)] {
                let response = try await server.call(
                    .post, "/v3/apps/shop/client", "{}",
                    headers: ["x-client-id": id, "X-CLIENT-STATE": state, "x-request-ORDER": "soon"]
                )
                #expect(response.status == .noContent)
                #expect(response.header("x-client-state")?.isEmpty == false)
            }
        }
    }
}
