/// The devices whose silent pushes one worker has under way, by round.
actor HeldSilentPushes {
    private struct Round {
        let app: Int64
        var devices: Set<Int64>
    }

    private var rounds: [Int: Round] = [:]
    private var lastNumber = 0

    var count: Int { rounds.count }
    var devices: [Int64] { rounds.values.flatMap(\.devices) }

    func count(of app: Int64) -> Int {
        rounds.values.filter { $0.app == app }.count
    }

    /// - Returns: the round's number.
    func insert(_ devices: [Int64], of app: Int64) -> Int {
        lastNumber += 1
        rounds[lastNumber] = Round(app: app, devices: Set(devices))
        return lastNumber
    }

    /// Their attempts have ended; those of others in the round go on.
    func remove(_ devices: [Int64], from number: Int) {
        rounds[number]?.devices.subtract(devices)
    }

    func remove(_ number: Int) {
        rounds[number] = nil
    }
}
