import CLibFuzzer
import Foundation
import FuzzTargets

/// Runs a fuzz target. `BelfryFuzz` lists the targets. `BelfryFuzz TARGET [OPTION…] [CORPUS…]` runs one of them with
/// the options of libFuzzer.
@main
enum BelfryFuzz {
    /// The target's name in the environment. To minimize an input, libFuzzer starts the program again with only its own
    /// options.
    private static let variable = "BELFRY_FUZZ_TARGET"

    static func main() {
        let given = ProcessInfo.processInfo.environment[variable]
        guard let name = given ?? CommandLine.arguments.dropFirst().first else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        guard let target = FuzzTarget.named(name) else {
            print("There is no target '\(name)'; without arguments, all of them are named.")
            exit(2)
        }
        chosen = target
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        if given == nil {
            setenv(variable, name, 1)
            // The program's name replaces the target's, because libFuzzer looks for it directly before its own
            // arguments.
            CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
            count -= 1
            arguments = CommandLine.unsafeArgv + 1
        }
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                BelfryFuzz.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        )
    }

    /// Safe: it is written once, before the only thread that reads it begins.
    private nonisolated(unsafe) static var chosen: FuzzTarget?

    private static func run(_ bytes: [UInt8]) {
        do {
            try chosen?.run(bytes)
        } catch {
            // Ending the process is how a finding is reported to libFuzzer, which then saves the input.
            fatalError("\(error)")
        }
    }
}
