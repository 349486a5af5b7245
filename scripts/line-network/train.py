import os,sys,time,pickle
os.environ['XLA_FLAGS']='--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'
import numpy as np,jax,jax.numpy as jnp,optax,multiprocessing as mp
import generate as gen
SPEC=[(3,3,1,16,(1,1),'SAME'),(3,3,16,32,(2,2),'SAME'),(3,3,32,32,(1,1),'SAME'),(3,3,32,48,(2,1),'SAME'),(3,3,48,48,(1,1),'SAME'),(6,5,48,96,(1,1),((0,0),(2,2))),(1,3,96,96,(1,1),'SAME'),(1,1,96,38,(1,1),'SAME')]
def init(r):
    return [(np.asarray(r.normal(0,np.sqrt(2/(a*b*c)),(a,b,c,d)),np.float32),np.zeros(d,np.float32)) for a,b,c,d,_,_ in SPEC]
def fwd(ps,x):
    for i,((w,b),s) in enumerate(zip(ps,SPEC)):
        x=jax.lax.conv_general_dilated(x,w,s[4],s[5],dimension_numbers=('NHWC','HWIO','NHWC'))+b
        if i<len(SPEC)-1: x=jax.nn.leaky_relu(x,.1)
    return x[:,0]
def loss(ps,x,l,w):
    z=jax.nn.log_softmax(fwd(ps,x))
    return -(jnp.take_along_axis(z,l[...,None],2)[...,0]*w).sum()/w.sum()
STEPS=int(sys.argv[1]);B=32;LR=2e-3
sched=optax.warmup_cosine_decay_schedule(1e-4,LR,150,STEPS,2e-5)
opt=optax.chain(optax.clip_by_global_norm(1.),optax.adamw(sched,weight_decay=1e-4))
@jax.jit
def step(ps,st,x,l,w):
    v,g=jax.value_and_grad(loss)(ps,x,l,w)
    u,st=opt.update(g,st,ps); return optax.apply_updates(ps,u),st,v
def batch(r):
    q=[gen.sample(r) for _ in range(B)]
    return np.stack([a for a,_,_ in q])[...,None],np.stack([b for _,b,_ in q]),np.stack([c for _,_,c in q])
if __name__=='__main__':
    r=np.random.default_rng(7);ps=init(r);st=opt.init(ps);t=time.time();av=None
    rv=np.random.default_rng(99);V=[batch(rv) for _ in range(8)]
    f=jax.jit(fwd)
    for k in range(STEPS):
        x,l,w=batch(r)
        ps,st,v=step(ps,st,x,l,w); v=float(v);av=v if av is None else .98*av+.02*v
        if k%100==0 or k==STEPS-1:
            ok=n=0
            for x,l,w in V:
                p=np.asarray(f(ps,x))[...,:37].argmax(-1);m=l<37;ok+=(p==l)[m].sum();n+=m.sum()
            print(k,round(av,4),'val frame acc',round(ok/n,4),round(time.time()-t),'s',flush=True)
            np.savez('line_network.npz',**{f'conv{i}.{k}':np.asarray(x) for i,p in enumerate(ps) for k,x in zip('wb',p)})
