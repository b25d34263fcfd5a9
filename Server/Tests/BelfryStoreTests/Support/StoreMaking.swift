import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation

let storeEpoch = Date(milliseconds: 1_795_262_400_000)

func seconds(_ seconds: TimeInterval) -> Date {
    storeEpoch.addingTimeInterval(seconds)
}

/// The device id that a number names, always the same.
func client(_ number: Int) throws -> DeviceID {
    let digits = String(number, radix: 16)
    return try DeviceID("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
}

func campaign(_ number: Int64) throws -> CampaignID {
    guard let id = CampaignID(number) else { throw StoreError.corrupted(table: "campaigns", key: String(number)) }
    return id
}

func event(
    _ id: String, _ name: String = "purchase", at date: Date = storeEpoch, attributes: [String: AttributeValue] = [:]
) throws -> Event {
    Event(
        id: try EventID(id), kind: .custom, name: try EventName(name), timestamp: date,
        attributes: try JSONText.encode(attributes)
    )
}

func snapshot(_ registration: String, revision: Int64, device: String = "d") -> RegistrationSnapshot {
    RegistrationSnapshot(deviceId: device, registrationId: registration, revision: revision, pushEnabled: true)
}

extension TestStore {
    /// With the apps 1 and 2.
    ///
    /// - Parameter isRecycled: false for tests that change tables, or that must not meet another test's statistics.
    static func withApps(_ engine: Engine, isRecycled: Bool = true) async throws -> TestStore {
        let store = try TestStore(engine, isRecycled: isRecycled)
        try await store.write { connection in
            for code in ["one", "two"] { _ = try connection.makeApp(code) }
        }
        return store
    }
}

extension SQLConnection {
    /// An app to hang everything else on.
    func makeApp(_ code: String = "app") throws -> Int64 {
        try apps.insert(code: try AppCode(code), name: code, settings: AppSettings(), now: storeEpoch)
    }

    /// Devices numbered from 1, without contacts; returns their ids.
    @discardableResult
    func makeDevices(_ count: Int, app: Int64) throws -> [Int64] {
        try (1...count).map { try devices.findOrInsert(app: app, client: try client($0), now: storeEpoch).id }
    }

    /// A campaign to everyone, in this state.
    func makeCampaign(_ status: CampaignStatus = .sending, app: Int64) throws -> CampaignID {
        let draft = CampaignDraft(
            name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "Sale", body: "Today")
        )
        let id = try campaigns.insert(draft, app: app, now: storeEpoch)
        guard var row = try campaigns.find(id) else {
            throw StoreError.corrupted(table: "campaigns", key: id.description)
        }
        row.campaign.status = status
        try campaigns.save(row)
        return id
    }

    /// Batches of ten devices each, due at once.
    func makeBatches(_ count: Int, of campaign: CampaignID, dueAt: Date = storeEpoch) throws {
        for number in 0..<Int64(count) {
            let first = number * 10 + 1
            try batches.insert(
                Batch(campaign: campaign, number: first, devices: first...(first + 9)), availableAt: dueAt
            )
        }
    }
}

extension DeviceRepository {
    /// The device of this installation, made when it is unknown.
    func findOrInsert(app: Int64, client: DeviceID, now: Date) throws -> DeviceRow {
        try find(app: app, client: client) ?? insert(app: app, client: client, now: now)
    }
}

extension RegistrationRepository {
    @discardableResult
    func insert(device: Int64, snapshot: RegistrationSnapshot, requestOrder: Int64, now: Date) throws -> Bool {
        try insert(
            snapshot.registrationId, revision: snapshot.revision, snapshot: JSONText.encode(snapshot), device: device,
            order: PropertyOrder(milliseconds: requestOrder), now: now
        )
    }
}

extension EventRepository {
    func insert(_ event: Event, device: Int64, app: Int64, contact: Int64?, now: Date) throws -> Bool {
        try insert(event, device: device, app: app, contact: contact, at: event.timestamp, receivedAt: now)
    }
}
