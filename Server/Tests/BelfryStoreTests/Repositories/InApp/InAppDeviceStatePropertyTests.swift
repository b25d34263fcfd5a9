import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct InAppDeviceStatePropertyTests {
    private enum Step: Sendable {
        case save(InAppDownload)
        case withdraw([CampaignID], device: Int64, contact: Int64, at: Date)
        case count([Event], InAppDeviceStateKey, epoch: Int)
        case move(device: Int64, from: Int64, to: Int64)
        case erase(device: Int64, contact: Int64?)
    }

    /// The report of one event.
    private struct Event: Sendable {
        let engagement: InAppEngagement
        let version: Int?
        let at: Date
    }

    private static let numbers: ClosedRange<Int64> = 1...3

    /// A history of three campaigns, each edited now and then, on three devices of three people.
    private static func history(seed: UInt64) throws -> [Step] {
        var dice = SeededGenerator(seed: seed)
        var (version, epoch) = ([1, 1, 1], [0, 0, 0])
        return try (0..<150).map { number in
            let index = Int.random(in: 0..<3, using: &dice)
            let id = try campaign(Int64(index) + 1)
            let (device, contact) = (Int64.random(in: numbers, using: &dice), Int64.random(in: numbers, using: &dice))
            // Devices' clocks go as they like.
            let at = seconds(Double(Int.random(in: 0...number, using: &dice)))
            switch Int.random(in: 0..<20, using: &dice) {
            case 0..<5:
                if Int.random(in: 0..<4, using: &dice) == 0 {
                    version[index] += 1
                    if Bool.random(using: &dice) { epoch[index] = version[index] }
                }
                return .save(
                    InAppDownload(
                        campaign: id, device: device, contact: contact, version: version[index], epoch: epoch[index],
                        at: at
                    )
                )
            case 5: return .withdraw([id], device: device, contact: contact, at: at)
            case 6: return .move(device: device, from: contact, to: contact % 3 + 1)
            case 7 where number.isMultiple(of: 4):
                return .erase(device: device, contact: number % 8 == 0 ? nil : contact)
            default:
                // Most come alone, some after weeks without a connection.
                let size = [1, 1, 2, 5, 60].randomElement(using: &dice) ?? 1
                let events = (0..<size).map { _ in
                    Event(
                        engagement: engagement(&dice),
                        version: Bool.random(using: &dice) ? Int.random(in: 1...version[index], using: &dice) : nil,
                        at: at.addingTimeInterval([-1e10, -1, 0, 0, 0.0004, 1].randomElement(using: &dice) ?? 0)
                    )
                }
                return .count(
                    events, .init(campaign: id, device: device, contact: contact), epoch: epoch[index]
                )
            }
        }
    }

    private static func engagement(_ dice: inout SeededGenerator) -> InAppEngagement {
        switch Int.random(in: 0..<8, using: &dice) {
        case 0..<3: .display
        case 3: .click(button: "b\(Int.random(in: 0..<(Bool.random(using: &dice) ? 3 : 30), using: &dice))")
        case 4: .click(button: nil)
        case 5: .dismissal(after: [nil, -1, 0, 1.5, 12.25, 1e9].randomElement(using: &dice) ?? nil)
        default:
            .notShown(
                reason: "r\(Int.random(in: 0..<3, using: &dice))", sentence: Bool.random(using: &dice) ? "s" : nil)
        }
    }

    private static func perform(_ step: Step, _ connection: any SQLConnection) throws {
        let copies = connection.inAppDeviceStates
        switch step {
        case .save(let download): try copies.save([download])
        case .withdraw(let ids, let device, let contact, let at):
            try copies.withdraw(ids, device: device, contact: contact, now: at)
        case .count(let events, let place, let epoch):
            var count = InAppCount(at: place, epoch: epoch)
            for event in events { count.add(event.engagement, version: event.version, at: event.at) }
            try copies.count([count])
        case .move(let device, let contact, let other): try copies.move(of: device, from: contact, to: other)
        case .erase(let device, let contact): try copies.erase(device: device, contact: contact)
        }
    }

    private static func note(_ step: Step, in book: inout InAppBook) {
        func place(_ id: CampaignID, _ device: Int64, _ contact: Int64) -> InAppBook.Place {
            .init(campaign: id.number, device: device, contact: contact)
        }
        switch step {
        case .save(let download):
            book.save(
                place(download.campaign, download.device, download.contact), version: download.version,
                epoch: download.epoch, at: download.at
            )
        case .withdraw(let ids, let device, let contact, let at):
            for id in ids { book.withdraw(place(id, device, contact), at: at) }
        case .count(let events, let at, let epoch):
            for event in events {
                book.count(
                    event.engagement, place(at.campaign, at.device, at.contact), version: event.version, epoch: epoch,
                    at: Date(milliseconds: event.at.milliseconds)
                )
            }
        case .move(let device, let contact, let other): book.move(device, from: contact, to: other)
        case .erase(let device, let contact): book.erase(device: device, contact: contact)
        }
    }

    @Test(
        "IAM-4, IAM-9, ID-8, REG-36: after any history each person has the right state on each device",
        arguments: Engine.allCases, Endurance.seeds(6, brief: 2))
    func histories(_ engine: Engine, seed: UInt64) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let history = try Self.history(seed: seed)
        var book = InAppBook()
        for step in history { Self.note(step, in: &book) }
        let (rows, sums) = try await store.write { connection in
            for step in history { try Self.perform(step, connection) }
            var rows: [InAppBook.Place: InAppBook.Entry] = [:]
            let ids = try Self.numbers.map(campaign)
            for device in Self.numbers {
                for contact in Self.numbers {
                    for (id, row) in try connection.inAppDeviceStates.copies(
                        device: device, contact: contact, campaigns: ids)
                    {
                        rows[.init(campaign: id.number, device: device, contact: contact)] = .init(row)
                    }
                }
            }
            return (rows, try ids.map { try connection.inAppDeviceStates.sums(of: $0) })
        }
        #expect(rows == book.entries.mapValues(\.row))
        #expect(sums == Self.numbers.map { book.sums(of: $0) })
        #expect(!rows.isEmpty && sums.contains { !$0.clicksByButton.isEmpty && $0.downloaded > 0 })
    }
}
