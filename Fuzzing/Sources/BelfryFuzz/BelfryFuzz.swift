import CLibFuzzer
import FuzzTargets

/// `BelfryFuzz`: names the targets. `BelfryFuzz TARGET [OPTION…] [CORPUS…]`: runs one of them as libFuzzer says it.
@main
enum BelfryFuzz {
    static func main() {
        guard CommandLine.arguments.count > 1 else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        guard let target = FuzzTarget.named(CommandLine.arguments[1]) else {
            print("There is no target '\(CommandLine.arguments[1])'; without arguments, all of them are named.")
            return
        }
        chosen = target
        // libFuzzer finds its own options behind the name of the program.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
        _ = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            BelfryFuzz.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    }

    /// Written once, before the only thread that reads it begins.
    private nonisolated(unsafe) static var chosen: FuzzTarget?

    private static func run(_ bytes: [UInt8]) {
        do {
            try chosen?.run(bytes)
        } catch {
            // To libFuzzer a finding is the end of the process; it keeps the input.
            fatalError("\(error)")
        }
    }
}
