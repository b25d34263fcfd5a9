import BelfryModel
import BelfryServerTestSupport
import BelfryWire
import Foundation
import Testing

/// Alerts and dashboards speak of what a server prints.
@Suite("The monitoring page")
struct MonitoringPageTests {
    private static let folder = "Docs/Operations"
    /// They appear when something goes wrong, or after half a minute: the sources say that they can.
    private static let rare: Set<String> = [
        "belfry_connections_ended_total", "belfry_database_errors_total", "belfry_database_failures_total",
        "belfry_database_repeated_total", "belfry_leases_lost_total", "belfry_leases_taken_over_total",
        "belfry_push_connection_pools", "belfry_push_connections", "belfry_push_requests_waiting",
        "belfry_push_streams", "belfry_quarantined_total", "belfry_requests_limited_total",
        "belfry_requests_refused_total", "belfry_silent_pushes_total", "belfry_trace_spans_dropped_total",
    ]

    /// The metrics that a text names, without what Prometheus adds to a histogram.
    private static func metrics(in text: String) -> Set<String> {
        Set(
            text.matches(of: /belfry_[a-z_]+/).map { match in
                let name = String(match.0)
                let ends = ["_bucket", "_sum", "_count"].filter { name.hasSuffix($0) }
                return ends.first.map { String(name.dropLast($0.count)) } ?? name
            })
    }

    private static func text(_ server: ServerProcess, _ stage: Stage) async throws -> String {
        String(decoding: try await stage.http.call(.GET, "\(server.address)/metrics").body, as: UTF8.self)
    }

    @Test(
        "FLEET-10, FLEET-11: every metric of the alerts, the dashboard and the page is one that a server prints, and the page has them all",
        .timeLimit(.minutes(10))
    )
    func names() async throws {
        let page = Self.metrics(in: try ProjectFile.text("\(Self.folder)/Monitoring.md"))
        var printed = try await printedOnPostgreSQL()
        printed.formUnion(try await printedOnSQLite(awaiting: page.subtracting(printed).subtracting(Self.rare)))
        #expect(printed.subtracting(page).isEmpty, "not on the page")
        #expect(page.subtracting(printed).subtracting(Self.rare).isEmpty, "never printed")
        #expect(Self.rare.isSubset(of: page))
        for file in ["prometheus-rules.yml", "dashboard.json", "Incidents.md"] {
            let named = Self.metrics(in: try ProjectFile.text("\(Self.folder)/\(file)"))
            #expect(!named.isEmpty && named.subtracting(printed).subtracting(Self.rare).isEmpty, "\(file)")
        }
        let sources = try Self.sources()
        for name in Self.rare { #expect(sources.contains("\"\(name)"), "\(name)") }
    }

    /// Of a server that has done a bit of everything.
    ///
    /// - Parameter expected: what it is asked for until it is there: much is measured by workers, in their own time.
    private func printedOnSQLite(awaiting expected: Set<String>) async throws -> Set<String> {
        var printed: Set<String> = []
        try await withStage { stage in
            try await stage.withPushServices { services in
                try await stage.withServer(options: ["--rate-limit", "off", "--allow-private-endpoints"]) { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    let key = try await services.putCredentials(admin)
                    for isGone in [false, true] {
                        let place = try await services.register(.apns, applicationServerKey: key)
                        // Its token moves to the other one.
                        let former = DeviceCaller(server: server, http: stage.http)
                        let device = DeviceCaller(server: server, http: stage.http)
                        for caller in [former, device] {
                            try await caller.linkAnonymously()
                            try await caller.putPushToken(place.token, environment: .production)
                        }
                        try await device.send([.custom("seen", id: UUID().uuidString)])
                        if isGone { try await services.end(place) }
                    }
                    let campaign = try await admin.createCampaign("Hello")
                    try await admin.change(campaign, "launch")
                    try await eventually("the campaign completes") {
                        try await admin.campaign(campaign)
                    } until: {
                        $0.status == .completed
                    }
                    // The express lane leaves to the router what it does not remember.
                    let device = DeviceCaller(server: server, http: stage.http)
                    try await device.linkAnonymously()
                    printed = try await eventually("the metrics are complete") {
                        try await device.send([.custom("seen", id: UUID().uuidString)])
                        return Self.metrics(in: try await Self.text(server, stage))
                    } until: {
                        $0.isSuperset(of: expected)
                    }
                }
            }
        }
        return printed
    }

    private func printedOnPostgreSQL() async throws -> Set<String> {
        var printed: Set<String> = []
        try await withStage { stage in
            try await stage.withDatabase(.postgres) { database in
                try await stage.withServer(environment: database.environment) { server in
                    // SQLite has none: the other server cannot bring what is missing here.
                    let names = ["connections", "connections_used", "connections_awaited"]
                    let pools = names.map { "belfry_database_\($0)" }
                    printed = try await eventually("the pools and partitions are shown") {
                        Self.metrics(in: try await Self.text(server, stage))
                    } until: {
                        $0.isSuperset(of: pools + ["belfry_partitions_missing"])
                    }
                }
            }
        }
        return printed
    }

    /// All of the server's, as one text.
    private static func sources() throws -> String {
        let root = ProjectFile.url("Server/Sources")
        let paths = try #require(FileManager.default.enumerator(atPath: root.path))
        var text = ""
        for case let path as String in paths where path.hasSuffix(".swift") {
            text += try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        return text
    }

    @Test("FLEET-10: each alert has an expression, a text and a card that exists")
    func alerts() throws {
        let lines = try ProjectFile.text("\(Self.folder)/prometheus-rules.yml").split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        func values(_ key: String) -> [String] {
            lines.filter { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.count + 2)) }
        }
        let alerts = values("- alert")
        #expect(alerts.count > 10 && Set(alerts).count == alerts.count)
        #expect(values("expr").count == alerts.count && values("summary").count == alerts.count)
        let headings = try ProjectFile.text("\(Self.folder)/Incidents.md").split(separator: "\n")
            .filter { $0.hasPrefix("## ") }
            .map { $0.dropFirst(3).lowercased().replacing(" ", with: "-") }
        let cards = values("card")
        #expect(cards.count == alerts.count && Set(cards).isSubset(of: headings))
        // An alert that a card names is there.
        let named = try ProjectFile.text("\(Self.folder)/Incidents.md").matches(of: /`(Belfry[A-Za-z]+)`/)
        for match in named { #expect(alerts.contains(String(match.1)), "\(match.1)") }
    }

    @Test("FLEET-10: the dashboard is JSON, and each of its panels asks for something")
    func dashboard() throws {
        struct Dashboard: Decodable {
            struct Panel: Decodable {
                struct Target: Decodable { let expr: String }
                let id: Int, title: String, targets: [Target]
            }
            let title: String, panels: [Panel]
        }
        let data = Data(try ProjectFile.text("\(Self.folder)/dashboard.json").utf8)
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: data)
        #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count && dashboard.panels.count > 10)
        for panel in dashboard.panels {
            #expect(
                !panel.targets.isEmpty && panel.targets.allSatisfy { $0.expr.contains("belfry_") }, "\(panel.title)")
        }
    }

    @Test(
        "FLEET-10: Prometheus itself accepts the alerts",
        .enabled(if: FileManager.default.isExecutableFile(atPath: Linters.prometheus))
    )
    func checked() async throws {
        try await withStage { stage in
            let rules = ProjectFile.url("\(Self.folder)/prometheus-rules.yml").path
            _ = try await stage.shell("'\(Linters.prometheus)' check rules '\(rules)'")
        }
    }

    @Test("FLEET-10: an alert ends when what it tells of is over: the value of a counter alone keeps none up")
    func alertsEnd() throws {
        let text = try ProjectFile.text("\(Self.folder)/prometheus-rules.yml")
        let expressions = text.matches(of: /expr: (.*?)\n +(?:for|labels):/.dotMatchesNewlines()).map { String($0.1) }
        #expect(expressions.count > 10)
        for expression in expressions {
            let values = expression.replacing(/\{[^}]*\}/, with: "")
                .replacing(/(?:rate|increase)\([^()]*\)/, with: "")
            #expect(!values.contains("_total") || values.contains("_total offset "), "\(expression)")
        }
    }

    @Test(
        "FLEET-10, FLEET-11: a database that was damaged is told of by each process that knows of it, and by nobody else",
        .enabled(if: FileManager.default.isExecutableFile(atPath: Linters.prometheus))
    )
    func damage() async throws {
        let rules = ProjectFile.url("\(Self.folder)/prometheus-rules.yml").path
        // An error in the tenth minute, a restart between the 30th and the 49th, and a check before the 69th.
        let cases = [(5, false), (15, true), (40, false), (50, true), (65, true), (70, false)]
        let expected = cases.map { minute, isAlerted in
            """
                  - alertname: BelfryDatabaseDamaged
                    eval_time: \(minute)m
                    exp_alerts: \(isAlerted ? "*damaged" : "[]")
            """
        }
        let test = """
            rule_files: ['\(rules)']
            evaluation_interval: 1m
            tests:
              - interval: 1m
                input_series:
                  - series: 'belfry_database_damaged{instance="a"}'
                    values: '0x9 1x19 _x19 1x19 0x19'
                  - series: 'belfry_database_damaged{instance="b"}'
                    values: '0x88'
                alert_rule_test:
                  - alertname: BelfryDatabaseDamaged
                    eval_time: 20m
                    exp_alerts: &damaged
                      - exp_labels: {instance: a, severity: page}
                        exp_annotations:
                          card: the-database-is-damaged
                          summary: "a: the database has said that it is damaged"
            """
        try await withStage { stage in
            let file = stage.folder.appending(path: "damage.yml")
            try Data(([test] + expected).joined(separator: "\n").utf8).write(to: file)
            _ = try await stage.shell("'\(Linters.prometheus)' test rules '\(file.path)'")
        }
    }
}
