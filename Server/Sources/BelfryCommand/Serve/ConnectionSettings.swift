import BelfryAPI
import BelfryModel
import Configuration

extension ConfigReader {
    /// How much memory all connections may use together, and how many connections one address may have (SEC-9, SEC-12).
    func connections() throws -> ConnectionRules.Settings {
        var settings = ConnectionRules.Settings()
        let kind = "a number of MiB from \(BodyMemorySetting.range.lowerBound) to \(BodyMemorySetting.range.upperBound)"
        if let memory = try parsed("bodyMemory", as: kind, BodyMemorySetting.init) {
            settings.bodyMemory = memory.bytes
        }
        settings.countsLoopback = try rates()?.limitsLoopback ?? false
        let number = "'off', or a number from 1 to \(BelfryServer.connections)"
        switch try parsed("connectionsPerAddress", as: number, AddressSetting.init) {
        case .off?: settings.connectionsPerAddress = nil
        case .atMost(let count)?:
            settings.connectionsPerAddress = count
            // An operator who sets a number wants it for this machine too, as with rates.
            settings.countsLoopback = true
        case nil: break
        }
        return settings
    }
}

/// The operator's setting of memory for request bodies, in MiB.
private struct BodyMemorySetting {
    static let range = ConnectionRules.Settings.minimumBodyMemory / mebibyte...65_536
    private static let mebibyte = 1_048_576

    let bytes: Int

    init?(_ text: String) {
        guard let number = WholeNumber.read(text, as: Int.self), Self.range.contains(number) else { return nil }
        bytes = number * Self.mebibyte
    }
}

/// The operator's setting of connections per address.
private enum AddressSetting {
    case off
    case atMost(Int)

    init?(_ text: String) {
        if text.lowercased() == "off" {
            self = .off
        } else if let number = WholeNumber.read(text, as: Int.self), (1...BelfryServer.connections).contains(number) {
            self = .atMost(number)
        } else {
            return nil
        }
    }
}
