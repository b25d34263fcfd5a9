import BelfryModel
import BelfryServerModel
import BelfryServices

/// How many planned messages meet the same devices, in sentences and bars (CON-6).
struct PressureModel: Sendable {
    /// The number of pairs of campaigns that are listed.
    static let maximumPairs = 15

    struct Pair: Sendable {
        let firstName: String
        let firstAddress: String
        let secondName: String
        let secondAddress: String
        let both: String
        /// The overlap as a share of the smaller audience.
        let ofSmaller: String
    }

    let pressureProblem: String?
    let pressureSentence: String
    let loads: Bars?
    let pairs: [Pair]
    let hasPairs: Bool
    let capSentences: [String]

    init(problem: String) {
        pressureProblem = problem
        pressureSentence = ""
        loads = nil
        pairs = []
        hasPairs = false
        capSentences = []
    }

    /// - Parameter base: the address of the list of campaigns.
    init(_ pressure: CampaignPressure, base: String) {
        pressureProblem = nil
        pressureSentence = Self.sentence(pressure)
        let bars = pressure.loads.map { load in
            Bar(
                Figures.count(load.messages, "message", "messages"), load.devices, of: pressure.devices,
                tone: load.messages > 3 ? "bar-warning" : ""
            )
        }
        loads = bars.isEmpty ? nil : Bars(bars: bars)
        pairs = pressure.overlaps.prefix(Self.maximumPairs).map { overlap in
            let (first, second) = (pressure.entries[overlap.first], pressure.entries[overlap.second])
            let smaller = min(pressure.reach[overlap.first], pressure.reach[overlap.second])
            return Pair(
                firstName: first.campaign.name, firstAddress: "\(base)/\(first.campaign.id)",
                secondName: second.campaign.name, secondAddress: "\(base)/\(second.campaign.id)",
                both: Figures.count(overlap.devices), ofSmaller: Figures.share(overlap.devices, of: smaller)
            )
        }
        hasPairs = !pairs.isEmpty
        capSentences = pressure.capped.map { capped in
            let name = pressure.entries[capped.entry].campaign.name.isolated
            let devices = Figures.count(capped.devices, "device has", "devices have")
            return
                "'\(name)' allows \(Figures.count(capped.cap.count, "push", "pushes")) within \(DurationWords.text(capped.cap.within)): \(devices) had as many of these messages before it and will not get it."
        }
    }

    private static func sentence(_ pressure: CampaignPressure) -> String {
        let left =
            pressure.left > 0
            ? " \(Figures.count(pressure.left, "further campaign is", "further campaigns are")) not counted here." : ""
        guard !pressure.entries.isEmpty else { return "No notification is planned for these days.\(left)" }
        let planned = Figures.count(pressure.entries.count, "notification is", "notifications are")
        let devices = Figures.count(pressure.devices, "device is", "devices are")
        return "\(planned) planned for these days, and \(devices) in the audience of at least one.\(left)"
    }
}

/// Durations in words.
enum DurationWords {
    /// `7 days`, `12 hours`, `90 minutes`.
    static func text(_ duration: ISODuration) -> String {
        let minutes = Int(duration.seconds) / 60
        if minutes.isMultiple(of: 1_440) { return Figures.count(minutes / 1_440, "day", "days") }
        if minutes.isMultiple(of: 60) { return Figures.count(minutes / 60, "hour", "hours") }
        return Figures.count(minutes, "minute", "minutes")
    }
}
