/// Why the demonstration ended before it could print its table.
enum DemoError: Error, CustomStringConvertible {
    case tookTooLong(String)
    case unknownProgram
    case phonesEnded(status: Int32)
    case notKilled

    var description: String {
        switch self {
        case .unknownProgram: "The demonstration cannot tell where its own program is."
        case .phonesEnded(let status): "A process with simulated devices ended by itself (\(status))."
        case .notKilled: "A process with simulated devices ended before it was killed."
        case .tookTooLong(let what): "The demonstration timed out waiting until \(what)."
        }
    }
}
