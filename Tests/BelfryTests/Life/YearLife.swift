import BelfryModel
import BelfryWire
import Foundation

@testable import Belfry

/// A year of one device, by seed: a person who visits the app, pushes that wake it, bad times of the network and of the
/// server, a clock that is set, a system that changes. Time stops wherever the device wakes.
struct YearLife {
    static let year: TimeInterval = 365 * 86_400

    let world: World
    let seed: UInt64
    let dice: Chance
    let weather: YearWeather
    var judgement = YearJudgement()
    /// The app is on the screen.
    private(set) var isShown = false
    /// The device knows that there is no network.
    private(set) var isReportedOffline = false
    private(set) var visits = 0
    private(set) var outages = 0
    private var moodEnds: TimeInterval = 0
    /// Seconds by which the clock was set back.
    private var late: TimeInterval = 0

    init(seed: UInt64) throws {
        self.seed = seed
        dice = Chance(seed: seed)
        world = try World(seed: seed)
        let weather = YearWeather(chance: Chance(seed: seed &+ 5_000))
        self.weather = weather
        world.wire.decide { weather.outcome(of: $0) }
    }

    /// Lives visit after visit.
    mutating func live(for duration: TimeInterval) async throws {
        try await launch(isShown: true)
        while world.clock.lived < duration {
            visits += 1
            for _ in 0...dice.below(4) {
                try await happen()
                try await pass(dice.pause(mean: 25))
            }
            try await leave()
            try await stayAway()
            try await comeBack()
        }
    }

    /// Lives on in the background of a server that answers every registration with 503; the app is edited and ends now
    /// and then.
    mutating func endure(for duration: TimeInterval) async throws {
        weather.mood.withLock { $0 = .stubborn }
        try await launch(isShown: true)
        try await leave()
        while world.clock.lived < duration {
            try await pass(2 * 86_400 * dice.unit())
            if dice.unit() < 0.4 {
                try await edit()
            } else if dice.unit() < 0.5 {
                await end()
                try await launch(isShown: true)
                try await leave()
            }
        }
    }

    /// Everything works, for longer than any wait.
    mutating func recover() async throws {
        weather.mood.withLock { $0 = .perfect }
        if world.isDead { try await launch(isShown: true) }
        try await show()
        try await goOnline()
        try await pass(150)
        try await leave()
        try await pass(90_000)
    }
}

// MARK: - Time

extension YearLife {
    /// Lets time pass, stopping wherever the device wakes.
    mutating func pass(_ seconds: TimeInterval) async throws {
        var left = seconds
        while left > 0 {
            let wake = world.isDead ? .infinity : try await world.nextWake()
            // A hair later, so that no rounding keeps a due moment in the future.
            let step = min(left, max(wake, 0) + 0.001)
            if wake < left { judgement.woke(at: world.clock.lived) }
            judgement.willPass(step, from: world.clock.now)
            world.clock.advance(by: step)
            left -= step
            try await judge()
        }
    }

    /// Waits until the device has nothing to do at once, and judges where it stands.
    mutating func judge() async throws {
        await world.settle()
        guard !world.isDead else { return judgement.died() }
        let mood = weather.mood.withLock { $0 }
        let isWell = mood == .fair || mood == .perfect
        let state = try await world.state
        judgement.judge(state, wire: world.wire, clock: world.clock, isFree: isShown && !isReportedOffline && isWell)
    }
}

// MARK: - The app

extension YearLife {
    mutating func launch(isShown: Bool) async throws {
        try await world.start(inForeground: isShown)
        self.isShown = isShown
        judgement.launched(isShown: isShown)
        try await judge()
    }

    mutating func end() async {
        await world.kill()
        isShown = false
        isReportedOffline = false
        judgement.died()
    }

    mutating func show() async throws {
        isShown = true
        judgement.launched(isShown: true)
        try await world.client.didEnterForeground()
        try await judge()
    }

    mutating func leave() async throws {
        isShown = false
        try await world.client.didEnterBackground()
        try await judge()
        try await pass(40 * dice.unit())
    }

    /// One of few values, so that an edit often changes nothing and often undoes the last one.
    mutating func edit() async throws {
        let number = Double(dice.below(4))
        if dice.unit() < 0.7 {
            try await world.client.edit { $0.setAttribute("number", to: .number(number)) }
        } else {
            try await world.client.edit { number < 2 ? $0.addTag("tag") : $0.removeTag("tag") }
        }
        try await judge()
    }

    mutating func goOnline() async throws {
        isReportedOffline = false
        if !world.isDead { try await world.client.networkReturns() }
        try await judge()
    }
}

// MARK: - What happens

extension YearLife {
    private mutating func happen() async throws {
        switch dice.unit() {
        case ..<0.4: try await edit()
        case ..<0.5:
            for _ in 0...(2 + dice.below(5)) {
                try await edit()
                try await pass(12 * dice.unit())
            }
        case ..<0.58: try await changeSystem()
        case ..<0.7: try await world.client.track("seen")
        case ..<0.76:
            await end()
            try await launch(isShown: true)
        case ..<0.81: try await setClock()
        case ..<0.85: await world.server.expireTokens()
        case ..<0.9:
            try await leave()
            try await show()
        default: try await changeWeather()
        }
        try await judge()
    }

    /// From some hours to some weeks, of which the process sees the first hours at most.
    private mutating func stayAway() async throws {
        if dice.unit() < 0.35 { try await pass(4 * 3_600 * dice.unit()) }
        if dice.unit() < 0.9 { await end() }
        try await changeWeather()
        if dice.unit() < 0.15 { try await changeSystem() }
        if dice.unit() < 0.05 { try await setClock() }
        guard world.isDead else { return try await pass(1_800 * dice.unit()) }
        world.clock.advance(by: dice.pause(mean: Self.year / 80))
        try await changeWeather()
        if dice.unit() < 0.3 { try await wakeUp() }
    }

    /// A silent push wakes the app, which is not shown, and perhaps it is shown later.
    private mutating func wakeUp() async throws {
        try await launch(isShown: false)
        let push = ReceivedPush(payload: PushPayload(sid: "S-\(visits)"))
        try await world.client.handlePush(push)
        try await pass(25)
        if dice.unit() < 0.5 { await end() }
    }

    private mutating func comeBack() async throws {
        if world.isDead { try await launch(isShown: true) } else { try await show() }
    }

    /// A bad time begins, of minutes or weeks, or ends.
    private mutating func changeWeather() async throws {
        guard world.clock.lived >= moodEnds else { return }
        if weather.mood.withLock({ $0 }) != .fair {
            weather.mood.withLock { $0 = .fair }
            if isReportedOffline { try await goOnline() }
        } else if dice.unit() < 0.2 {
            outages += 1
            let kinds: [YearWeather.Mood] = [.away, .shaky, .busy]
            let kind = kinds[dice.below(3)]
            weather.mood.withLock { $0 = kind }
            moodEnds = world.clock.lived + 600 * pow(10, 3.4 * dice.unit())
            if kind == .away, !world.isDead, dice.unit() < 0.5 {
                isReportedOffline = true
                try await world.client.engine.lifecycle.becameOnline(false)
            }
        }
        try await judge()
    }

    /// The time zone, the language or the version of the app (REG-5).
    private mutating func changeSystem() async throws {
        let choice = dice.below(3)
        let number = dice.below(3)
        world.setSystem { system in
            switch choice {
            case 0: system.timeZone = ["Europe/Paris", "America/Lima", "Asia/Tokyo"][number]
            case 1: system.locale = ["fr_FR", "es_PE", "ja_JP"][number]
            default: system.appVersion = "1.\(number)"
            }
        }
        guard !world.isDead else { return }
        // The client gets this from a stream, to which it soon listens.
        try await world.client.engine.lifecycle.readSystem()
        try await judge()
    }

    /// Sets the clock back by minutes to days, or forth again.
    private mutating func setClock() async throws {
        if late > 0 {
            world.clock.advance(by: late)
            late = 0
        } else {
            late = 60 * pow(10, 4 * dice.unit())
            // Whoever is about to sleep sleeps by the clock as it was.
            if !world.isDead { _ = try await world.nextWake() }
            world.clock.advance(by: -late)
        }
        judgement.clockWasSet(at: world.clock.lived)
        try await judge()
    }
}

extension Chance {
    /// 0 to `count` - 1.
    func below(_ count: UInt64) -> Int {
        Int(next() % count)
    }

    /// Times between events that come by chance, `mean` seconds apart.
    func pause(mean: TimeInterval) -> TimeInterval {
        -mean * log(max(unit(), 1e-9))
    }
}
