import Foundation

/// The devices whose silent pushes one worker has under way, by round.
actor HeldSilentPushes {
    private struct Round {
        let app: Int64
        var devices: Set<Int64>
    }

    private var rounds: [Int: Round] = [:]
    private var lastNumber = 0
    private var alone = LoneWork<Int>()

    var count: Int { rounds.count }
    var devices: [Int64] { rounds.values.flatMap(\.devices) }

    /// Whether a push that was under way when a worker died may be begun (SEC-8).
    func mayBeginAlone(at now: Date) -> Bool {
        alone.isFree(at: now)
    }

    /// The apps with so many rounds under way.
    func apps(with count: Int) -> [Int64] {
        Dictionary(grouping: rounds.values, by: \.app).filter { $0.value.count >= count }.map(\.key)
    }

    /// - Returns: the round's number.
    func insertAlone(_ device: Int64, of app: Int64, at now: Date) -> Int {
        let number = insert([device], of: app)
        alone.begin(number, at: now)
        return number
    }

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
        alone.end(number)
    }

    func remove(_ number: Int) {
        rounds[number] = nil
        alone.end(number)
    }
}
