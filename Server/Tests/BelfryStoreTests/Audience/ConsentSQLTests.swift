import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Testing

@testable import BelfryStore

@Suite("Whether a push may be sent, in SQL")
struct ConsentSQLTests {
    private static let everyConsent: [DeviceConsent] =
        ([nil] + OptOutReason.allCases.map { OptOut(reason: $0, at: storeEpoch) }).flatMap { optOut in
            [true, false].flatMap { hasToken in
                [true, false].flatMap { pushEnabled in
                    [nil, true, false].map { osPushEnabled in
                        DeviceConsent(
                            hasToken: hasToken, pushEnabled: pushEnabled, osPushEnabled: osPushEnabled, optOut: optOut
                        )
                    }
                }
            }
        }

    @Test("LED-4, REG-33: for every consent the audience agrees with the send", arguments: Engine.allCases)
    func agrees(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let devices = try connection.makeDevices(Self.everyConsent.count, app: 1)
            for (id, consent) in zip(devices, Self.everyConsent) {
                var row = try #require(try connection.devices.find(id: id))
                row.pushToken =
                    consent.hasToken ? PushToken(stored: "token\(id)", provider: .apns, environment: .production) : nil
                // A device without a decision counts as opted in.
                row.pushEnabled = consent.pushEnabled ? (id.isMultiple(of: 2) ? nil : true) : false
                row.osPushEnabled = consent.osPushEnabled
                row.optOut = consent.optOut
                try connection.devices.save(row)
                #expect(row.consent == consent)
                let said = try connection.first(
                    "SELECT \(DeviceRow.isOptedInSQL) FROM devices WHERE id = ?", [.integer(id)]
                ) { $0.flag(0) }
                #expect(said == consent.isOptedIn, "\(consent)")
                let stored = try #require(try connection.recipients.find([id]).first)
                #expect(stored.consent == consent)
            }
        }
    }
}
