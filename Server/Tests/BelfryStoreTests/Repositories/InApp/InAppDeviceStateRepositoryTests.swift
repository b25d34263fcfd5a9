import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct InAppDeviceStateRepositoryTests {
    private static func download(version: Int, epoch: Int = 0, at: TimeInterval = 0) throws -> InAppDownload {
        InAppDownload(campaign: try campaign(1), device: 1, contact: 1, version: version, epoch: epoch, at: seconds(at))
    }

    private static func view(_ connection: any SQLConnection, version: Int?, epoch: Int) throws {
        try connection.inAppDeviceStates.count(
            .display, at: .init(campaign: campaign(1), device: 1, contact: 1), version: version, epoch: epoch,
            when: seconds(9)
        )
    }

    private static func copy(_ connection: any SQLConnection) throws -> InAppDeviceStateRow? {
        try connection.inAppDeviceStates.find(campaign: campaign(1), device: 1, contact: 1)
    }

    @Test("IAM-4: displays carry over an edit, and begin again when the editor resets them", arguments: Engine.allCases)
    func epochs(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let copies = try await store.write { connection in
            var copies: [InAppDeviceStateRow?] = []
            try connection.inAppDeviceStates.save([Self.download(version: 1)])
            try Self.view(connection, version: 1, epoch: 0)
            copies.append(try Self.copy(connection))
            try connection.inAppDeviceStates.save([Self.download(version: 2, at: 1)])
            copies.append(try Self.copy(connection))
            // The third version resets; a display of the second one was still on its way.
            try Self.view(connection, version: 2, epoch: 3)
            copies.append(try Self.copy(connection))
            try connection.inAppDeviceStates.save([Self.download(version: 3, epoch: 3, at: 2)])
            try Self.view(connection, version: 3, epoch: 3)
            copies.append(try Self.copy(connection))
            // A lost response is given again.
            try connection.inAppDeviceStates.save([Self.download(version: 3, epoch: 3, at: 3)])
            return copies + [try Self.copy(connection)]
        }
        #expect(copies.map { $0?.shown } == [1, 1, 0, 1, 1] && copies.map { $0?.displays } == [1, 1, 2, 3, 3])
        #expect(copies.map { $0?.epoch } == [0, 0, 3, 3, 3] && copies.map { $0?.version } == [1, 2, 2, 3, 3])
        #expect(copies.last??.downloadedAt == seconds(3))
        #expect(copies.map { $0?.shown(inEpoch: 3) } == [0, 0, 0, 1, 1])
    }

    @Test("IAM-13: a display without a version counts", arguments: Engine.allCases)
    func withoutVersion(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let copy = try await store.write { connection in
            try Self.view(connection, version: nil, epoch: 4)
            try connection.inAppDeviceStates.save([Self.download(version: 4, epoch: 4)])
            return try Self.copy(connection)
        }
        #expect(copy?.shown == 1 && copy?.epoch == 4 && copy?.downloadedAt == storeEpoch)
    }

    @Test("IAM-1: a withdrawn message that comes back is restored", arguments: Engine.allCases)
    func withdrawn(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let copies = try await store.write { connection in
            let copies = connection.inAppDeviceStates
            try copies.save([Self.download(version: 1)])
            try copies.withdraw([campaign(1), campaign(2)], device: 1, contact: 1, now: seconds(5))
            let gone = try Self.copy(connection)
            try copies.save([Self.download(version: 1, at: 6)])
            return [gone, try Self.copy(connection)]
        }
        #expect(copies.map { $0?.recalledAt } == [seconds(5), nil])
    }

    @Test("REG-36: a device's messages and due pushes are removed with it", arguments: Engine.allCases)
    func deletedDevice(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let counts = try await store.write { connection in
            let devices = try connection.makeDevices(2, app: 1)
            for device in devices {
                let place = InAppDeviceStateKey(campaign: try campaign(1), device: device, contact: 1)
                try connection.inAppDeviceStates.count(
                    .click(button: "b"), at: place, version: 1, epoch: 0, when: storeEpoch
                )
                try connection.inAppDeviceStates.count(
                    .notShown(reason: "r", sentence: "s"), at: place, version: 1, epoch: 0, when: storeEpoch
                )
                try connection.execute(
                    """
                    INSERT INTO silent_pushes (device_id, app_id, reasons, carried, number, attempts)
                    VALUES (?, 1, 1, 0, 0, 0)
                    """,
                    [.integer(device)]
                )
            }
            try connection.devices.delete(devices[0])
            return try ["in_app_copies", "in_app_clicks", "in_app_not_shown", "silent_pushes"].map { table in
                try connection.query(SQLText(ofTest: "SELECT device_id FROM \(table)"), []) { $0.integer(0) } == [
                    devices[1]
                ]
            }
        }
        #expect(counts == [true, true, true, true])
    }
}
