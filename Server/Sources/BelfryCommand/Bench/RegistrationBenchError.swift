enum RegistrationBenchError: Error, CustomStringConvertible {
    case ranOut(devices: Int, lacking: Int)
    case lost(acknowledged: Int, stored: Int)
    case notProcessed(count: Int, of: Int, status: String)
    case stuck(waiting: Int)

    var description: String {
        switch self {
        case .ranOut(let devices, let lacking):
            "The round is void: wrk asked for \(lacking) registrations more than the \(devices) that were prepared. "
                + "Pass more --devices."
        case .lost(let acknowledged, let stored):
            "\(acknowledged) registrations were acknowledged, but the server's file holds \(stored) of them."
        case .notProcessed(let count, let all, let status):
            "\(count) of \(all) registrations were not processed as they should: one of them is '\(status)'."
        case .stuck(let waiting):
            "\(waiting) registrations still wait, and the server does not come to an end with them."
        }
    }
}
