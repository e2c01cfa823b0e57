# A port: your run behind the wire protocol of the agent run contract, in which the suite asks for things.
#
#     pytest --pyargs agent_run_tck --impl="exec:raku adapter.raku"
#
# spec/protocol.md of the contract says what each request and notification means, spec/ports.md in which order to
# write what is still to do. Standard output is for the suite alone; `note` goes where you see it.
use v6.d;

# The compiler's own JSON, so that there is nothing to install. JSON::Fast has the same two functions, and is faster.
sub from-json(Str $text) { Rakudo::Internals::JSON.from-json($text) }
sub to-json($data --> Str) { Rakudo::Internals::JSON.to-json($data, :!pretty, :sorted-keys) }

# What is not your run's fault; its code is one of those in the protocol.
class Fault is Exception {
    has Str $.code;
    has Str $.message;
}

# What there is still to do. An operation that you add to %operations is asked from then on.
my %to-do =
    @TO_DO@
;

# From an operation to what performs it: it is given the request, and returns what the reply has as `ok`.
my %operations =
    hello => -> %request {
        %(
            protocol => 1,
            contract => %request<contract>,
            name => 'my run', # what the report calls it
            version => '',
            language => 'Raku',
            # A declared capability binds: with threads, an operation that blocks must not hold up any other.
            capabilities => %( threads => True ),
        )
    },
    forget => -> %request { Any }, # let go of the runs, events and gates that it names, as soon as you keep any
    bye => -> %request { Any },
    # Your operations go here.
;

my $writing = Lock.new;

# Write a message whole, from whichever thread.
sub send(%message) {
    my $line = to-json(%message) ~ "\n";
    $writing.protect: {
        $*OUT.write($line.encode);
        $*OUT.flush;
    }
}

# Perform a request and send the reply; whether it succeeded. A step of a script is answered in the same way, and where
# it did not succeed the script ends.
sub answer(%request) {
    my $op = %request<op>;
    die Fault.new(code => 'unsupported', message => "write $op: %to-do{$op}") unless %operations{$op}:exists;
    send %( id => %request<id>, ok => %operations{$op}(%request) );
    return True;
    CATCH {
        default {
            my $code = $_ ~~ Fault ?? .code !! 'raised';
            send %( id => %request<id>, error => %( code => $code, message => .message ) );
            return False;
        }
    }
}

for $*IN.lines -> $line {
    my %request = from-json($line);
    if %request<op> eq 'bye' {
        answer(%request);
        exit 0;
    }
    Thread.start({ answer(%request) }); # any operation may block, and `start` has 64 threads at most
}
exit 0;
