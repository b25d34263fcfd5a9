import BelfryModel
import BelfryServices
import Foundation

/// Compares this machine's clock with others.
struct ClockCheck: DoctorCheck {
    struct Reference: Hashable, Sendable {
        let name: String
        /// How far this machine's clock is ahead, in seconds. Negative: behind.
        let ahead: TimeInterval
    }

    /// Seconds. HTTP dates are whole seconds, and a server may have made its date a moment before.
    static let tolerance: TimeInterval = 5
    /// Seconds. Push services reject provider tokens whose time is more than a few minutes off.
    static let longest: TimeInterval = 120

    let references: [Reference]

    /// How far this machine's clock is ahead of another machine's, in seconds. Negative: behind. The other machine read
    /// its clock at some moment between request and response, so only a time outside of that interval is a difference.
    static func ahead(of time: Date, asked: Date, answered: Date) -> TimeInterval {
        // If this machine's clock was set back in between, the later reading is the earlier time.
        let (first, last) = (min(asked, answered), max(asked, answered))
        return time < first ? first.timeIntervalSince(time) : min(last.timeIntervalSince(time), 0)
    }

    var findings: [DoctorFinding] {
        guard !references.isEmpty else {
            return [.warning("clock", "There was no other clock to compare with.", "See that this machine uses NTP.")]
        }
        return references.map { reference in
            let seconds = Int(min(abs(reference.ahead), 1e9).rounded())
            let sentence = "The clock is \(seconds) s \(reference.ahead < 0 ? "behind" : "ahead of") \(reference.name)."
            let advice = "Synchronize the clocks (NTP): push services reject tokens of another time."
            if abs(reference.ahead) > Self.longest { return .error("clock", sentence, advice) }
            if abs(reference.ahead) > Self.tolerance { return .warning("clock", sentence, advice) }
            return .ok("clock", "The clock agrees with \(reference.name).")
        }
    }
}

/// Checks an app's credentials by a dry call to the push service.
struct CredentialsCheck: DoctorCheck {
    struct Entry: Hashable, Sendable {
        let app: String
        let provider: PushProvider
        let result: CredentialCheckResult
    }

    /// Apps without any credentials.
    var bare: [String] = []
    var entries: [Entry] = []
    /// Apps whose credentials only the running server may try, while the server could not be asked to.
    var untried: [String] = []

    var findings: [DoctorFinding] {
        let without: [DoctorFinding] = bare.map {
            .warning("credentials", "The app \($0) has no credentials.", "Set them with 'belfry app credentials'.")
        }
        let first: [DoctorFinding] = without + left
        return first
            + entries.map { entry in
                let name = "\(entry.app): \(Self.title(entry.provider))"
                switch entry.result {
                case .accepted where entry.provider == .webpush:
                    return .ok("credentials", "\(name): the key pair can be read.")
                case .accepted: return .ok("credentials", "\(name) accepts the credentials.")
                case .rejected(let reason):
                    return .error(
                        "credentials", "\(name) rejects the credentials (\(reason)).",
                        "Check key, team, topic or project, and set them again with 'belfry app credentials'.")
                case .unknown(let reason):
                    return .warning(
                        "credentials", "\(name) did not answer (\(reason)).",
                        "Check that this machine reaches the push service over port 443 or its endpoint, then try again."
                    )
                case .unreadable:
                    return .error(
                        "credentials", "\(name): the credentials cannot be decrypted.",
                        "Start with the former secret key, or set the credentials again.")
                }
            }
    }

    private var left: [DoctorFinding] {
        guard !untried.isEmpty else { return [] }
        return [
            .warning(
                "credentials",
                "The credentials of \(untried.joined(separator: ", ")) were not tried: the running server must try them "
                    + "itself (APNs rejects two provider tokens of one key), and the doctor could not ask it to.",
                "Do what the line of the server or of the port says, then try again.")
        ]
    }

    private static func title(_ provider: PushProvider) -> String {
        switch provider {
        case .apns: "APNs"
        case .fcm: "FCM"
        case .webpush: "Web Push"
        }
    }
}

/// Checks the port that the server listens on.
struct PortCheck: DoctorCheck {
    enum Occupant: Hashable, Sendable {
        case nobody
        case belfry
        /// A Belfry server that listens on the port over IPv4 only, while the settings want IPv6 as well.
        case belfryOnIPv4
        case otherProgram
        /// A program that accepts connections, or lets them wait, and sends nothing.
        case silent
        case unusable(reason: String)

        /// Whether it is a Belfry server, or may be one that could not answer.
        var mayBeBelfry: Bool {
            switch self {
            case .belfry, .belfryOnIPv4, .silent: true
            case .nobody, .otherProgram, .unusable: false
            }
        }
    }

    let host: String
    let port: Int
    let occupant: Occupant
    /// Whether a server uses the data directory, on any port.
    var isDataInUse = false

    var findings: [DoctorFinding] {
        let place = "\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
        switch occupant {
        case .nobody where isDataInUse:
            return [
                .warning(
                    "port",
                    "A server uses the data directory, but "
                        + (port == 0
                            ? "the settings do not say on which port it listens."
                            : "no server listens on \(place)."),
                    "Give the --host and the --port with which it was started, or its address with --server.")
            ]
        case .nobody where port == 0: return [.ok("port", "The server picks a free port.")]
        case .nobody: return [.ok("port", "\(place) is free: no server listens there.")]
        case .belfry: return [.ok("port", "A Belfry server listens on \(place).")]
        case .belfryOnIPv4:
            return [
                .error(
                    "port", "\(place) is not free: a Belfry server listens on that port over IPv4.",
                    "Give the --host that it was started with, or stop it, or choose another --port.")
            ]
        case .silent:
            return [
                .error(
                    "port", "The program on \(place) did not respond in time, twice.",
                    "If it is a Belfry server, see its log; otherwise stop it, or choose another --port.")
            ]
        case .otherProgram:
            return [
                .error(
                    "port", "Another program than Belfry listens on \(place).",
                    isDataInUse
                        ? "Give the --host and --port with which the server was started that uses the data directory."
                        : "Stop it, or choose another --port.")
            ]
        case .unusable(let reason):
            return [
                .error(
                    "port", "The server cannot listen on \(place): \(reason).",
                    "Choose an address of this machine, and a port above 1023 unless the server may use lower ones.")
            ]
        }
    }
}

/// Checks the running server.
struct ServerCheck: DoctorCheck {
    enum State: Hashable, Sendable {
        case ready
        case notReady(reason: String)
        case unreachable(reason: String)
        /// The server gave no response in time to two requests; it may be running.
        case silent(reason: String)
        /// The server's certificate is not for any of the hosts under which it was called.
        case misnamed(hosts: [String])
        /// The server's certificate is not signed by anybody whom this machine trusts, or is no longer valid.
        case untrusted(reason: String)
        case foreign
        /// The server is ready, but rejects the admin key.
        case locked(reason: String)
    }

    let address: String
    let state: State

    var findings: [DoctorFinding] {
        switch state {
        case .ready: [.ok("server", "The server \(address) is ready.")]
        case .notReady(let reason):
            [.error("server", "The server \(address) is not ready: \(reason)", "See its log, and the lines above.")]
        case .unreachable(let reason):
            [.error("server", "The server \(address) cannot be reached (\(reason)).", "Start it, or correct --server.")]
        case .silent(let reason):
            [
                .error(
                    "server", "The server \(address) did not respond in time, asked twice (\(reason)).",
                    "See its log and the load of its machine, or correct --server.")
            ]
        case .misnamed(let hosts):
            [
                .error(
                    "server",
                    "The certificate of the server \(address) is not for \(hosts.joined(separator: ", nor for ")).",
                    "Serve one for the name that clients call, and set publicURL, or --server, to that name.")
            ]
        case .untrusted(let reason):
            [
                .error(
                    "server", "The server \(address) is not trusted (\(reason)).",
                    "Name the authority of its certificate with --ca, renew an expired one, or correct --server.")
            ]
        case .foreign:
            [
                .error(
                    "server", "The server at \(address) is not a Belfry server.",
                    "Correct --server, or the proxy in front of the server.")
            ]
        case .locked(let reason): [.warning("server", reason, "Give the admin key's file with --key-file.")]
        }
    }
}

/// Checks how callers reach the server, and whose rate limits their calls count towards (SEC-2, SEC-11).
struct ProxyCheck: DoctorCheck {
    /// The address that the server sees for a call over its public address.
    let peer: String
    let isForwarded: Bool
    let isTrusted: Bool
    /// Whether the address's host is this machine.
    let isDirect: Bool

    var findings: [DoctorFinding] {
        switch (isForwarded, isTrusted) {
        case (true, true): return [.ok("proxy", "The proxy \(peer) is trusted to name its callers.")]
        case (true, false):
            return [
                .error(
                    "proxy", "The proxy \(peer) sends X-Forwarded-For and is not trusted: all callers count as one.",
                    "Start the server with --trusted-proxies \(peer).")
            ]
        case (false, true):
            return [
                .error(
                    "proxy", "The trusted proxy \(peer) does not send X-Forwarded-For: all callers count as one.",
                    "Let the proxy add X-Forwarded-For to each request.")
            ]
        case (false, false) where !isDirect && IPAddress(peer)?.isLoopback == true:
            return [
                .warning(
                    "proxy", "The call came through a program on the server's machine that names no caller.",
                    "If that is a proxy, let it send X-Forwarded-For, and start the server with --trusted-proxies \(peer)."
                )
            ]
        case (false, false): return [.ok("proxy", "Calls reach the server directly.")]
        }
    }
}
