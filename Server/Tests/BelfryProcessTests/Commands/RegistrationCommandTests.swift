import BelfryAPI
import BelfryModel
import Foundation
import Testing

@Suite("Commands that show registrations")
struct RegistrationCommandTests {
    @Test(
        "CLI-4, REG-20, REG-25: a device is shown with each field that was rejected of its registration, and why",
        .timeLimit(.minutes(10))
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

                try await register(revision: 1, by: device) { $0.attributes = ["shoe": 42, "age": "old"] }
                let shown = try await stage.command(show, at: server.address)
                #expect(shown.properties["registration"]?.hasPrefix("partlyRejected, at 2") == true, "\(shown.errors)")
                for name in ["age", "shoe"] {
                    let line = shown.properties["attributes.\(name)"]
                    #expect(line?.hasPrefix("undefinedAttribute ") == true, "\(shown.output)")
                    #expect(line?.contains("'\(name)'") == true)
                }
                let answer: DeviceResponse = try await stage.answer(show, at: server.address)
                #expect(answer.registration?.rejected.map(\.field) == ["attributes.age", "attributes.shoe"])

                try await register(revision: 2, by: device)
                let mended = try await stage.command(show, at: server.address)
                #expect(mended.properties["registration"]?.hasPrefix("processed, at 2") == true, "\(mended.errors)")
                #expect(!mended.output.contains("attributes."), "\(mended.output)")
            }
        }
    }

    @Test("CLI-4, REG-1: a contact is shown with its party identifier", .timeLimit(.minutes(10)))
    func partyIdentifier() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.link(to: "anna")
                let party = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")
                try await register(revision: 1, by: device) { $0.partyIdentifier = party }
                let show = ["contact", "show", "shop", "anna"]
                let shown = try await stage.command(show, at: server.address)
                let text = "type=email, name=primary, number=a@example.com"
                #expect(shown.properties["party identifier"] == text, "\(shown.output)\(shown.errors)")
                let answer: ContactResponse = try await stage.answer(show, at: server.address)
                #expect(answer.partyIdentifier == party)
            }
        }
    }

    /// Registers, and returns once the server has processed it.
    private func register(
        revision: Int64, by device: DeviceCaller, _ change: (inout RegistrationSnapshot) -> Void = { _ in }
    ) async throws {
        var snapshot = RegistrationSnapshot(
            deviceId: device.id, registrationId: UUID().uuidString, revision: revision, pushEnabled: true
        )
        change(&snapshot)
        let id = snapshot.registrationId
        try await device.register(snapshot)
        try await eventually("the registration is processed") {
            try await device.receipt(id)
        } until: {
            $0.status != .received
        }
    }
}
