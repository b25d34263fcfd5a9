import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Subscriptions of browsers")
struct BrowserTokenTests {
    private static func browser(_ server: TestServer) async throws -> TestDevice {
        var device = TestDevice(server)
        try await device.start()
        try await device.call(.post, "/client", #"{"platform":"web"}"#)
        return device
    }

    @Test("WIRE-5: a browser's subscription is accepted as an object and as text, and is one token")
    func put() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            var device = try await Self.browser(server)
            let object = try Credentials.subscription()
            let text = String(decoding: try JSONEncoder().encode(object), as: UTF8.self)
            #expect(
                try await device.call(.put, "/client/push-token", #"{"pushToken":\#(object)}"#).status == .noContent)
            let before = try await server.contents()
            for token in [text, object.replacing(",", with: " , ")] {
                let body = #"{"push_token":\#(token),"provider":"webpush"}"#
                #expect(try await device.call(.put, "/client/push-token", body).status == .noContent)
                #expect(try await server.contents() == before)
            }
            let stored = try await server.device(device.id)
            #expect(stored.pushProvider == .webpush && stored.push.eligible)
            #expect(stored.pushToken?.contains("push.example.com") == false)
        }
    }

    @Test("WIRE-5: what is wrong with a subscription is said of its members, not of its form")
    func incomplete() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            var device = try await Self.browser(server)
            for (object, target) in [
                (#"{"endpoint":"http://x"}"#, "pushToken.keys"), ("{}", "pushToken.endpoint"),
                (#"{"endpoint":"https://x.example","keys":{"auth":"a"}}"#, "pushToken.keys.p256dh"),
                (#"{"endpoint":1,"keys":{"auth":"a","p256dh":"b"}}"#, "pushToken.endpoint"), ("1", "pushToken"),
            ] {
                let response = try await device.call(.put, "/client/push-token", #"{"pushToken":\#(object)}"#)
                #expect(response.status == .badRequest, "\(object)")
                let error = try response.json(ErrorBody.self).error
                #expect(error.target == target, "\(object)")
                #expect(error.message.contains("a string") == (object.contains("1")), "\(object): \(error.message)")
            }
        }
    }

    @Test("WIRE-7: in a registration it may be the object, too")
    func snapshot() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            var device = try await Self.browser(server)
            let object = try Credentials.subscription()
            let body = device.snapshot(revision: 1, #","platform":"web","pushToken":\#(object)"#)
            #expect(try await device.call(.post, "/client/registration", body).status == .created)
            #expect(try await server.registrations.processWaiting() == 1)
            let stored = try await server.device(device.id)
            #expect(stored.pushProvider == .webpush && stored.push.eligible)
            let before = try await server.contents().filter { $0.hasPrefix("devices:") }
            try await device.call(.put, "/client/push-token", #"{"pushToken":\#(object)}"#)
            #expect(try await server.contents().filter { $0.hasPrefix("devices:") } == before)
        }
    }

    @Test(
        "WIRE-5, SEC-5: an invalid subscription, or one with a private address, is refused and changes nothing",
        arguments: [
            (#""0123456789abcdef""#, "invalidSubscription"),
            (#""{}""#, "invalidSubscription"),
            (#"{"endpoint":"https://push.example.com/1","keys":{"p256dh":"AA","auth":"AA"}}"#, "invalidSubscription"),
            (try Credentials.subscription("http://push.example.com/1"), "notHTTPS"),
            (try Credentials.subscription("https://127.0.0.1:8443/1"), "privateAddress"),
            (try Credentials.subscription("https://[fd00::1]/1"), "privateAddress"),
        ] as [(String, String)]
    )
    func rejected(token: String, code: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = try await Self.browser(server)
            let before = try await server.contents()
            let response = try await device.call(.put, "/client/push-token", #"{"pushToken":\#(token)}"#)
            try expectError(response, .badRequest, code, target: "pushToken")
            #expect(try await server.contents() == before)
        }
    }
}
