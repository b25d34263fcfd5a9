import BelfryAPI
import BelfryModel
import Synchronization

/// People who log in and out, and apps that are killed.
extension DemoStory {
    /// The event that a killed app had recorded but not sent.
    static let errand = "errand"

    /// Starts the devices; those that are killed later run in processes of their own. Returns the ids of all devices by
    /// device number.
    func startDevices(_ phones: [DemoPhones]) async throws -> [Int: String] {
        let found = Found<String>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for phone in phones {
                group.addTask { for (index, id) in try await phone.launch() { found.note(id, of: index) } }
            }
            group.addTask {
                try await fleet.each(where: { !$0.isKilled }) { device in
                    try await device.launch()
                    if let id = try await device.deviceID() { found.note(id, of: device.index) }
                }
            }
            try await group.waitForAll()
        }
        return found.values
    }

    /// Kills the processes while their devices hold an unsent event. Returns the devices whose event is not on the
    /// server yet.
    func kill(_ phones: [DemoPhones], _ ids: [Int: String]) async throws -> Set<Int> {
        for phone in phones {
            try await phone.track(Self.errand)
            try await phone.kill()
        }
        var unsent: Set<Int> = []
        for index in phones.flatMap(\.indices) {
            if let id = ids[index], try await errands(of: id) == 0 { unsent.insert(index) }
        }
        return unsent
    }

    /// How many of these events the server has from a device.
    private func errands(of id: String) async throws -> Int {
        let answer: DeviceEventsResponse = try await admin.call(
            DeviceRoutes.listDeviceEvents, DemoApp.code, id, query: "name=\(Self.errand)"
        )
        return answer.events.count
    }

    /// Logs people in. Returns the devices whose contact the server knows.
    func logIn(_ ids: [Int: String]) async throws -> Set<Int> {
        try await fleet.each(where: { $0.logsIn && !$0.isKilled }) { try await $0.logIn() }
        let people = fleet.devices.filter(\.behaviour.logsIn)
        var known: Set<Int> = []
        try await eventually("everybody who logs in is known") {
            for device in people where !known.contains(device.index) {
                guard let id = ids[device.index] else { continue }
                let answer: DeviceResponse = try await admin.call(DeviceRoutes.readDevice, DemoApp.code, id)
                if answer.contactKey == device.contactKey { known.insert(device.index) }
            }
            return known.count == people.count
        }
        return known
    }

    /// Relaunches the killed apps on the storage that they left. Returns the devices whose event has arrived exactly
    /// once.
    func relaunchKilled(_ ids: [Int: String]) async throws -> Set<Int> {
        try await fleet.each(where: \.isKilled) { device in
            try await device.launch()
            try await device.logIn()
            try await device.report()
        }
        let killed = fleet.devices.filter(\.behaviour.isKilled).map(\.index)
        var recovered: Set<Int> = []
        try await eventually("what the killed apps had recorded has arrived") {
            for index in killed where !recovered.contains(index) {
                guard let id = ids[index] else { continue }
                if try await errands(of: id) == 1 { recovered.insert(index) }
            }
            return recovered.count == killed.count
        }
        return recovered
    }

    /// Logs some people out. Returns the devices on which neither the server nor the app knows the person any more.
    func logOut(_ ids: [Int: String]) async throws -> Set<Int> {
        let left = Found<Bool>()
        try await fleet.each(where: \.logsOut) { device in
            if let isGone = try await device.logOut() { left.note(isGone, of: device.index) }
        }
        var gone: Set<Int> = []
        let leaving = fleet.devices.filter { left.values[$0.index] == true }
        try await eventually("everybody who has logged out is forgotten") {
            for device in leaving where !gone.contains(device.index) {
                guard let id = ids[device.index] else { continue }
                let answer: DeviceResponse = try await admin.call(DeviceRoutes.readDevice, DemoApp.code, id)
                if answer.contactKey != device.contactKey { gone.insert(device.index) }
            }
            return gone.count == leaving.count
        }
        return gone
    }
}

/// Collects results by device number. It is locked, because many devices run at the same time.
final class Found<Value: Sendable>: Sendable {
    private let found = Mutex<[Int: Value]>([:])

    var values: [Int: Value] { found.withLock { $0 } }

    func note(_ value: Value, of index: Int) {
        found.withLock { $0[index] = value }
    }
}
