/// Why the figures of `belfry bench registration` are invalid.
enum RegistrationBenchError: Error, CustomStringConvertible {
    case ranOut(devices: Int, lacking: Int)
    case lost(acknowledged: Int, stored: Int)
    case notProcessed(count: Int, of: Int, status: String)
    case stuck(waiting: Int)

    var description: String {
        switch self {
        case .ranOut(let devices, let lacking):
            "The round is invalid: wrk needed \(lacking) more registrations than the \(devices) that were prepared. "
                + "Pass more --devices."
        case .lost(let acknowledged, let stored):
            "\(acknowledged) registrations were acknowledged, but the server's file holds \(stored) of them."
        case .notProcessed(let count, let all, let status):
            "\(count) of \(all) registrations were not processed as expected: one of them is '\(status)'."
        case .stuck(let waiting):
            "\(waiting) registrations are still waiting, and the server does not process them."
        }
    }
}
