import BelfryModel
import BelfryWire
import Foundation
import Testing

@Suite("Commands that show what devices register")
struct RegistrationCommandTests {
    @Test(
        "CLI-4, REG-20, REG-25: a device is shown with each field that was rejected of its registration, and why",
        .timeLimit(.minutes(1))
    )
    func rejectedFields() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.link(to: "anna")
                let show = ["device", "show", "shop", device.id]
                let before = try await stage.command(show, at: server.address)
                #expect(before.properties["registration"] == nil, "\(before.errors)")

                try await register(attributes: ["shoe": 42, "age": "old"], revision: 1, by: device)
                let shown = try await stage.command(show, at: server.address)
                #expect(shown.properties["registration"]?.hasPrefix("partlyRejected, at 2") == true, "\(shown.errors)")
                for name in ["age", "shoe"] {
                    let line = shown.properties["attributes.\(name)"]
                    #expect(line?.hasPrefix("undefinedAttribute ") == true, "\(shown.output)")
                    #expect(line?.contains("'\(name)'") == true)
                }
                let answer: DeviceAnswer = try await stage.answer(show, at: server.address)
                #expect(answer.registration?.rejected.map(\.field) == ["attributes.age", "attributes.shoe"])

                try await register(attributes: nil, revision: 2, by: device)
                let mended = try await stage.command(show, at: server.address)
                #expect(mended.properties["registration"]?.hasPrefix("processed, at 2") == true, "\(mended.errors)")
                #expect(!mended.output.contains("attributes."), "\(mended.output)")
            }
        }
    }

    /// Registers, and returns once the server has processed it.
    private func register(
        attributes: [String: AttributeValue]?, revision: Int64, by device: DeviceCaller
    ) async throws {
        let snapshot = RegistrationSnapshot(
            deviceId: device.id, registrationId: UUID().uuidString, revision: revision, pushEnabled: true,
            attributes: attributes
        )
        try await device.register(snapshot)
        try await eventually("the registration is processed") {
            try await device.receipt(snapshot.registrationId)
        } until: {
            $0.status != .received
        }
    }
}
