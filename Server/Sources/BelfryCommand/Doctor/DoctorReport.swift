import Foundation

/// How good the result of a check is.
enum DoctorVerdict: String, Hashable, Sendable, Encodable, CaseIterable, Comparable {
    case ok
    /// It works, but may soon stop, or does not work as it should.
    case warning
    /// It does not work until somebody corrects it.
    case error

    static func < (left: DoctorVerdict, right: DoctorVerdict) -> Bool { left.exitCode < right.exitCode }

    /// The exit code as monitoring plugins use it: 0 when all is well, 1 for a warning, 2 for an error.
    var exitCode: Int32 {
        switch self {
        case .ok: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// One line of the output of `belfry doctor`.
struct DoctorFinding: Hashable, Sendable, Encodable {
    let check: String
    let verdict: DoctorVerdict
    /// What was found.
    let finding: String
    /// What to do about it; nil when nothing needs to be done.
    let advice: String?

    private init(_ check: String, _ verdict: DoctorVerdict, _ finding: String, _ advice: String?) {
        self.check = check
        self.verdict = verdict
        self.finding = finding
        self.advice = advice
    }

    static func ok(_ check: String, _ finding: String) -> DoctorFinding {
        DoctorFinding(check, .ok, finding, nil)
    }

    static func warning(_ check: String, _ finding: String, _ advice: String) -> DoctorFinding {
        DoctorFinding(check, .warning, finding, advice)
    }

    static func error(_ check: String, _ finding: String, _ advice: String) -> DoctorFinding {
        DoctorFinding(check, .error, finding, advice)
    }
}

/// Judges the facts of one inspection. The facts are gathered elsewhere, so that tests can try each error.
protocol DoctorCheck: Sendable {
    var findings: [DoctorFinding] { get }
}

/// All findings of one run.
struct DoctorReport: Sendable, Encodable {
    private(set) var findings: [DoctorFinding] = []
    /// The worst verdict of all findings.
    private(set) var verdict = DoctorVerdict.ok

    mutating func add(_ check: some DoctorCheck) {
        for finding in check.findings {
            findings.append(finding)
            verdict = max(verdict, finding.verdict)
        }
    }

    /// The report for people: each piece of advice is below its finding.
    var text: String {
        let width = findings.map(\.check.count).max() ?? 0
        let lines = findings.flatMap { finding in
            let mark = finding.verdict.rawValue + String(repeating: " ", count: 9 - finding.verdict.rawValue.count)
            let name = finding.check + String(repeating: " ", count: width + 2 - finding.check.count)
            let rest = finding.advice.map { [String(repeating: " ", count: width + 11) + "→ \($0.printable)"] } ?? []
            return [mark + name + finding.finding.printable] + rest
        }
        let counts = DoctorVerdict.allCases.map { verdict in
            "\(findings.count { $0.verdict == verdict }) \(verdict.rawValue)"
        }
        return (lines + [counts.joined(separator: ", ")]).joined(separator: "\n")
    }
}
