import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct EventClockRepositoryTests {
    @Test(
        "EVT-9, EVT-7: both times are kept; lists, pages and bounds use the corrected one", arguments: Engine.allCases
    )
    func bothTimes(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        // Device times in the opposite order, and far away.
        let times = (0..<9).map { (at: seconds(Double($0)), deviceAt: seconds(1e7 - Double($0) * 60)) }
        try await store.write { connection in
            for (number, time) in times.enumerated() {
                let deviceAt = number.isMultiple(of: 3) ? nil : time.deviceAt
                _ = try connection.events.insert(
                    try event("e\(number)", at: deviceAt ?? time.at), device: 1, app: 1, contact: nil, at: time.at,
                    receivedAt: storeEpoch
                )
            }
        }
        let all = try await store.read { try $0.events.ofDevice(1, before: nil, limit: 100) }
        #expect(all.map(\.eventID) == (0..<9).reversed().map { "e\($0)" })
        #expect(all.map(\.at) == times.map(\.at).reversed())
        let deviceTimes = times.enumerated().map { $0.offset.isMultiple(of: 3) ? nil : $0.element.deviceAt }
        #expect(all.map(\.deviceAt) == deviceTimes.reversed())
        let part = try await store.read {
            try $0.events.ofDevice(1, from: seconds(2), to: seconds(5), before: nil, limit: 100)
        }
        #expect(part.map(\.eventID) == ["e4", "e3", "e2"])
        let last = try #require(all.dropFirst(3).first)
        let page = try await store.read {
            try $0.events.ofDevice(1, before: (at: last.at.milliseconds, id: last.eventID), limit: 2)
        }
        #expect(page.map(\.eventID) == ["e4", "e3"])
    }

    @Test("PERF-3: the short query of a device sees the same as the long one", arguments: Engine.allCases)
    func link(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let devices = try await store.write { connection in
            let app = try connection.makeApp()
            let ids = try connection.makeDevices(4, app: app)
            for (number, id) in ids.enumerated() {
                guard var device = try connection.devices.find(id: id) else { continue }
                device.contact = number == 0 ? nil : Int64(number)
                device.linkGeneration = Int64(number * 3)
                device.confirmedGeneration = Int64(number * 2)
                device.revision = Int64(number * 5)
                try connection.devices.save(device)
            }
            return ids
        }
        for id in devices {
            let (link, device) = try await store.read { connection in
                (try connection.devices.link(id: id), try connection.devices.find(id: id))
            }
            let row = try #require(device)
            #expect(link?.id == row.id && link?.app == row.app && link?.contact == row.contact)
            #expect(link?.linkGeneration == row.linkGeneration && link?.revision == row.revision)
            #expect(link?.confirmedGeneration == row.confirmedGeneration)
        }
        #expect(try await store.read { try $0.devices.link(id: 99) } == nil)
    }
}
