import BelfryModel
import BelfryServices
import Foundation

/// The page with the state of the server.
struct ServerModel: Sendable {
    struct Row: Sendable {
        let rowName: String
        let rowValue: String
        let rowNote: String
        let rowChip: StatusChip?

        init(_ name: String, _ value: String, _ note: String = "", _ chip: StatusChip? = nil) {
            rowName = name
            rowValue = value
            rowNote = note
            rowChip = chip
        }
    }

    struct Halt: Sendable {
        let haltTitle: String
        let haltSentence: String
        let haltAddress: String
        let haltLink: String
    }

    let tabs: [Tab]
    let tabsLabel = "Operations"
    let ready: StatusChip
    let readySentence: String
    let quarantineSentence: String?
    let quarantineAddress = OperationsPlace.quarantine.address
    let heldSentence: String?
    let halts: [Halt]
    let hasHalts: Bool
    let queues: [Row]
    let rates: [Row]
    let ratesNote: String
    let failures: [Row]
    let hasFailures: Bool
    let connections: [Row]
    let limits: [Row]
    let hasLimits: Bool
    let database: [Row]

    init(_ desk: OperationsDesk, _ state: ServerState) {
        tabs = desk.tabs
        (readySentence, ready) = ServerWords.readiness(state.readiness)
        quarantineSentence = Self.quarantine(state.quarantined.count)
        heldSentence =
            state.heldLines == 0
            ? nil
            : "\(Figures.count(state.heldLines, "line of the audit log waits", "lines of the audit log wait")) until "
                + "the database can be written."
        halts = Self.halts(state.halted)
        hasHalts = !halts.isEmpty
        queues = Self.queues(state)
        rates = Self.rates(state)
        ratesNote =
            state.rates == nil
            ? "This process has just started: rates are known after a quarter of a minute."
            : "Of this process, over the last minute."
        failures = Self.failures(state)
        hasFailures = !failures.isEmpty
        connections = Self.connections(state.metrics)
        limits = Self.limits(state)
        hasLimits = !limits.isEmpty
        database = Self.database(state)
    }

    private static func quarantine(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let amount =
            count >= ServerState.maximumQuarantined
            ? "\(ServerState.maximumQuarantined) pieces of work or more are"
            : Figures.count(count, "piece of work is", "pieces of work are")
        return "\(amount) in quarantine: they failed three times. Retry or drop them."
    }

    private static func halts(_ halted: HaltedSending) -> [Halt] {
        let campaigns = halted.campaigns.map { campaign in
            Halt(
                haltTitle: campaign.name, haltSentence: "Paused by the server. \(campaign.reason)",
                haltAddress: "/console/apps/\(campaign.app)/campaigns/\(campaign.id)", haltLink: "The campaign"
            )
        }
        let senders = halted.senders.map { sender in
            Halt(
                haltTitle: sender.app,
                haltSentence: "A push service has rejected this app's credentials. "
                    + "\(Figures.count(sender.devices, "device waits", "devices wait")) for right ones.",
                haltAddress: "/console/apps/\(sender.app)\(SettingsPlace.credentials.path)", haltLink: "Its credentials"
            )
        }
        return senders + campaigns
    }

    private static func queues(_ state: ServerState) -> [Row] {
        let queues: [(String, WorkQueues.Length, String)] = [
            ("Registrations", state.queues.registrations, "Registrations of devices that are not applied yet."),
            ("Audiences", state.queues.plans, "Launched campaigns whose audience is being selected."),
            ("Batches", state.queues.batches, "Parts of campaigns that are due."),
            ("Silent pushes", state.queues.silentPushes, "Devices that wait for a silent push."),
            ("Erasures", state.queues.erasures, "People whose data is being removed."),
        ]
        return queues.map { name, length, note in
            Row(
                name, ServerWords.queue(length, now: state.now), note,
                ServerWords.isLate(length, now: state.now) ? StatusChip(word: "Late", tone: "warning") : nil
            )
        }
    }

    private static func rates(_ state: ServerState) -> [Row] {
        let counters = [
            ("Pushes accepted", #"belfry_deliveries_total{state="accepted"}"#),
            ("Pushes rejected", #"belfry_deliveries_total{state="rejected"}"#),
            ("Pushes not sent", #"belfry_deliveries_total{state="suppressed"}"#),
            ("Pushes to be tried again", #"belfry_deliveries_total{state="pending"}"#),
            ("Events stored", "belfry_events_stored_total"),
            ("Silent pushes accepted", #"belfry_silent_pushes_total{outcome="accepted"}"#),
        ]
        return counters.map { name, counter in
            Row(
                name, state.rates.map { rate($0[counter] ?? 0) } ?? "–",
                "\(Figures.count(state.metrics[counter] ?? 0)) since the start"
            )
        }
    }

    private static func rate(_ perMinute: Double) -> String {
        "\(Figures.count(Int(perMinute.rounded()))) a minute"
    }

    /// The reasons why sends failed, the most frequent first.
    private static func failures(_ state: ServerState) -> [Row] {
        state.metrics.filter { Metrics.family(of: $0.key) == Metrics.failureReasons }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(20)
            .map { name, count in
                Row(
                    Metrics.label("reason", of: name) ?? "", Figures.count(count),
                    service(Metrics.label("provider", of: name) ?? "")
                )
            }
    }

    private static func service(_ provider: String) -> String {
        PushProvider(rawValue: provider)?.title ?? "No push service"
    }

    private static func connections(_ metrics: [String: Int]) -> [Row] {
        let open = [
            Row(
                "Of devices, programs, browsers", Figures.count(metrics["belfry_connections_open"] ?? 0), "open now"),
            Row(
                "To push services", Figures.count(metrics["belfry_push_connection_pools"] ?? 0),
                "push services that are connected now"
            ),
        ]
        let ended = metrics.filter { Metrics.family(of: $0.key) == "belfry_connections_ended_total" }
            .sorted { $0.key < $1.key }
            .map { name, count in
                Row(
                    "Ended to protect others", Figures.count(count),
                    ServerWords.connectionEnd(Metrics.label("cause", of: name) ?? "")
                )
            }
        return open + ended
    }

    private static func limits(_ state: ServerState) -> [Row] {
        let limited = state.metrics.filter { Metrics.family(of: $0.key) == "belfry_requests_limited_total" }
            .sorted { $0.key < $1.key }
            .map { name, count in
                Row(ServerWords.limit(Metrics.label("limit", of: name) ?? ""), Figures.count(count), "told to wait")
            }
        let rejected = state.metrics[#"belfry_requests_refused_total{reason="storageFull"}"#].map {
            [Row("Calls that make the store grow", Figures.count($0), "refused for a full disk")]
        }
        let failed = state.metrics.filter { Metrics.family(of: $0.key) == "belfry_database_failures_total" }
            .sorted { $0.key < $1.key }
            .map { name, count in
                Row("Database: \(Metrics.label("work", of: name) ?? "")", Figures.count(count), "failed")
            }
        return limited + (rejected ?? []) + failed
    }

    private static func database(_ state: ServerState) -> [Row] {
        let facts = state.facts
        let known = OperationsQueries.knownSchema
        let disk = state.storage.map { report in
            let free = Row(
                "Free disk", ServerWords.bytes(report.space.available),
                "of \(ServerWords.bytes(report.space.total)); "
                    + (report.floor > 0 ? "\(ServerWords.bytes(report.floor)) stay free" : "no floor is set"),
                report.isLow ? StatusChip(word: "Below the floor", tone: "bad") : nil
            )
            // Only SQLite's log is shown: PostgreSQL looks after its own.
            guard report.space.unsettled > 0 else { return [free] }
            let log = ServerWords.bytes(report.space.unsettled)
            return [free, Row("The store's log", log, "to be copied into the database")]
        }
        return [
            Row("Program", state.version), Row("Database", "\(facts.engine) \(facts.engineVersion)"),
            Row("Size", ServerWords.bytes(facts.size)),
            Row("Schema", String(facts.schema), facts.schema == known ? "" : "This program knows \(known)."),
        ] + (disk ?? [Row("Free disk", "–", "The server does not watch the database's disk, or not yet.")])
    }
}
