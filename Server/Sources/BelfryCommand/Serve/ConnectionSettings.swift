import BelfryAPI
import BelfryModel
import Configuration

extension ConfigReader {
    /// What connections may hold together, and how many of them an address may have (SEC-9, SEC-12).
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
            // Whoever asks for a number wants it for this machine as well, as with rates.
            settings.countsLoopback = true
        case nil: break
        }
        return settings
    }
}

/// What an operator says about memory, in MiB.
private struct BodyMemorySetting {
    static let range = ConnectionRules.Settings.minimumBodyMemory / mebibyte...65_536
    private static let mebibyte = 1_048_576

    let bytes: Int

    init?(_ text: String) {
        guard let number = WholeNumber.read(text, as: Int.self), Self.range.contains(number) else { return nil }
        bytes = number * Self.mebibyte
    }
}

/// What an operator says about the connections of an address.
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
