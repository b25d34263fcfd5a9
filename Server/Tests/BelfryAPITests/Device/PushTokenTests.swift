import BelfryAPI
import BelfryModel
import Foundation
import Hummingbird
import Testing

@Suite("Push tokens")
struct PushTokenTests {
    static let token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

    @Test(
        "WIRE-5, ID-5: a token is registered under either spelling, and again without change",
        arguments: ["/client/push-token", "/client/push_token"], ["pushToken", "push_token"]
    )
    func put(path: String, key: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            var device = TestDevice(server)
            try await device.start()
            let body = #"{"\#(key)":"\#(Self.token)"}"#
            #expect(try await device.call(.put, path, body).status == .noContent)
            let before = try await server.contents()
            let again = try await device.call(.put, path, body)
            #expect(again.status == .noContent)
            #expect(again.header("X-Client-State") != nil)
            #expect(try await server.contents() == before)
            let stored = try await server.device(device.id)
            #expect(stored.push == EligibilityResponse(.eligible))
            #expect(stored.pushProvider == .apns)
            #expect(stored.pushEnvironment == .production)
        }
    }

    @Test("SEC-3: the admin API shows a token shortened")
    func shortened() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            try await device.call(.put, "/client/push-token", #"{"pushToken":"\#(Self.token)"}"#)
            let response = try await server.admin(.get, "/apps/shop/devices/\(device.id)")
            #expect(!response.text.contains(Self.token))
            #expect(try response.json(DeviceResponse.self).pushToken == "apns:012345…cdef")
        }
    }

    @Test("WIRE-5: a token without a provider has the platform's")
    func providers() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let cases: [(String, String, PushProvider)] = [
                ("ios", "", .apns), ("android", "", .fcm), ("android-huawei", #","provider":"fcm""#, .fcm),
                ("android", #","provider":"apns","environment":"sandbox""#, .apns),
                ("ios", #","provider":null,"environment":null"#, .apns),
            ]
            for (platform, others, provider) in cases {
                var device = TestDevice(server)
                try await device.start()
                try await device.call(.post, "/client", #"{"platform":"\#(platform)"}"#)
                let body = #"{"pushToken":"token-of-\#(device.id)"\#(others)}"#
                #expect(try await device.call(.put, "/client/push-token", body).status == .noContent)
                let stored = try await server.device(device.id)
                #expect(stored.pushProvider == provider, "\(platform) \(others)")
                #expect(stored.pushEnvironment == (others.contains("sandbox") ? .sandbox : .production))
            }
        }
    }

    @Test("WIRE-29: a token of Huawei's service is refused with a clear error, and changes nothing")
    func huawei() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            var device = TestDevice(server)
            try await device.start()
            try await device.call(.post, "/client", #"{"platform":"android-huawei"}"#)
            let before = try await server.contents()
            let answer = try await device.call(.put, "/client/push-token", #"{"pushToken":"IQAAAACy0T43AAB"}"#)
            try expectError(answer, .badRequest, "pushServiceNotSupported", target: "pushToken")
            #expect(answer.text.contains("Huawei"))
            #expect(try await server.contents() == before)
            #expect(try await server.device(device.id).push == EligibilityResponse(.ineligible(reason: "noToken")))
        }
    }

    @Test(
        "WIRE-29: a v3 client's build tells the environment of its token, unless the body names one",
        arguments: [("debug", PushEnvironment.sandbox), ("production", .production), ("other", .production)]
    )
    func builds(mode: String, environment: PushEnvironment) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let headers = ["X-EMARSYS-SDK-VERSION": "3.10.2", "X-EMARSYS-SDK-MODE": mode]
            func put(_ others: String = "", _ headers: [String: String]) async throws -> PushEnvironment? {
                let body = #"{"pushToken":"\#(Self.token)"\#(others)}"#
                let answer = try await device.call(.put, "/client/push-token", body, headers: headers)
                #expect(answer.status == .noContent)
                return try await server.device(device.id).pushEnvironment
            }
            #expect(try await put("", headers) == environment)
            #expect(try await put(#","environment":"sandbox""#, headers) == .sandbox)
            #expect(try await put(#","environment":"production""#, headers) == .production)
            // The mode alone says nothing: it is a header of v3 clients.
            #expect(try await put("", ["X-EMARSYS-SDK-MODE": mode]) == .production)
            // FCM has no environments.
            #expect(try await put(#","provider":"fcm""#, headers) == .production)
        }
    }

    @Test(
        "WIRE-5, REG-22: a removed token is the opt-out of a client without snapshots; a new one lifts it",
        arguments: [nil, "{}", "anything"] as [String?]
    )
    func delete(body: String?) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            var device = TestDevice(server)
            try await device.start()
            try await device.call(.put, "/client/push-token", #"{"pushToken":"\#(Self.token)"}"#)
            #expect(try await device.call(.delete, "/client/push-token", body).status == .noContent)
            let before = try await server.contents()
            #expect(try await device.call(.delete, "/client/push-token", body).status == .noContent)
            #expect(try await server.contents() == before)
            let stored = try await server.device(device.id)
            #expect(stored.pushToken == nil)
            #expect(stored.push == EligibilityResponse(.ineligible(reason: "optedOut:user")))

            try await device.call(.put, "/client/push-token", #"{"pushToken":"\#(Self.token)"}"#)
            #expect(try await server.device(device.id).push.eligible)
        }
    }

    @Test("WIRE-21: a push token with an older order does not overwrite a newer one, whichever call carried it")
    func orders() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let now = server.clock.now.milliseconds
            try await device.call(
                .put, "/client/push-token", #"{"pushToken":"new-token-0001"}"#, headers: ["X-Request-Order": "\(now)"])
            let before = try await server.contents()
            let older = ["X-Request-Order": "\(now - 1)"]
            let put = try await device.call(
                .put, "/client/push-token", #"{"pushToken":"old-token-0001"}"#, headers: older)
            #expect(put.status == .noContent)
            #expect(try await device.call(.delete, "/client/push-token", headers: older).status == .noContent)
            #expect(try await server.contents() == before)
        }
    }
}
