import BelfryServices
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Names of few characters and many bytes")
struct LongNameTests {
    /// Twenty characters, some 2,000 bytes.
    private static let long = String(repeating: "e" + String(repeating: "\u{301}", count: 50), count: 20)

    @Test("WIRE-23, SEC-2: a name is limited in bytes as well, in every call")
    func bytes() async throws {
        #expect(Self.long.count == 20)
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            for field in ["language", "platform", "osVersion", "deviceModel", "applicationVersion", "sdkVersion"] {
                let response = try await device.call(.post, "/client", #"{"\#(field)":"\#(Self.long)"}"#)
                try expectError(response, .badRequest, "tooLong", target: field)
            }
            let app = try await server.admin(.post, "/apps", #"{"code":"b","name":"\#(Self.long)"}"#)
            try expectError(app, .unprocessableContent, "invalidLength", target: "name")
            let provider = try IdentityProvider()
            let settings = [
                (#"{"contactFields":["\#(Self.long)"]}"#, "contactFields[0]"),
                (#"{"openID":\#(provider.settings(["issuer": "\"\(Self.long)\""]))}"#, "openID.issuer"),
            ]
            for (body, target) in settings {
                let response = try await server.admin(.put, "/apps/shop/settings", body)
                try expectError(response, .unprocessableContent, "invalidLength", target: target)
            }
        }
    }

    @Test("REG-25, SEC-2: a property of a snapshot is limited in bytes as well, and is rejected alone")
    func snapshot() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let id = UUID().uuidString
            let body = device.snapshot(revision: 1, registrationID: id, #","locale":"\#(Self.long)","platform":"ios""#)
            #expect(try await device.call(.post, "/client/registration", body).status == .created)
            #expect(try await server.registrations.processWaiting() == 1)
            let receipt = try await device.call(.get, "/client/registration/\(id)").json(RegistrationReceipt.self)
            #expect(receipt.rejected.map(\.field) == ["locale"] && receipt.rejected.map(\.reason) == ["tooLong"])
        }
    }
}
